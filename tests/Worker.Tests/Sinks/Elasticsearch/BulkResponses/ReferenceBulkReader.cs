using System.Text.Json;
using Messaging.CloudFront.Elasticsearch.BulkResponses;
using Messaging.Telemetry;

namespace Worker.Tests.Sinks.Elasticsearch.BulkResponses;

/// <summary>The rules of a bulk response as one writes them to be read, over JsonDocument. Property names are expected without escapes, texts without control characters.</summary>
internal static class ReferenceBulkReader
{
    public static ReadResponse Read(byte[] response)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(response);
            return Read(document.RootElement);
        }
        catch (Exception exception) when (exception is JsonException or FormatException)
        {
            return ReadResponse.Malformed;
        }
    }

    private static ReadResponse Read(JsonElement root)
    {
        Require(root.ValueKind == JsonValueKind.Object);
        string[] names = [.. root.EnumerateObject().Select(member => member.Name)];
        Require(names.Count(name => name == "items") == 1 && names.Count(name => name == "errors") <= 1);
        bool? errors = root.TryGetProperty("errors", out JsonElement said) ? said.GetBooleanOrFail() : null;
        JsonElement[] items = [.. root.GetProperty("items").EnumerateArrayOrFail()];
        if (errors == false && Array.IndexOf(names, "errors") < Array.IndexOf(names, "items"))
        {
            return new ReadResponse(BulkParsing.Complete, IsShortened: true, items.Length, errors, []);
        }

        List<ReadFailure> failures = [];
        for (int index = 0; index < items.Length; index++)
        {
            JsonProperty[] actions = [.. items[index].EnumerateObjectOrFail()];
            Require(actions.Length == 1);
            if (ReadResult(index, actions[0].Value) is { } failure)
            {
                failures.Add(failure);
            }
        }

        return new ReadResponse(BulkParsing.Complete, IsShortened: false, items.Length, errors, failures);
    }

    private static ReadFailure? ReadResult(int index, JsonElement result)
    {
        JsonProperty[] members = [.. result.EnumerateObjectOrFail()];
        foreach (string name in (string[])["_id", "status", "error"])
        {
            Require(members.Count(member => member.Name == name) <= 1);
        }

        Require(result.TryGetProperty("status", out JsonElement status) && int.TryParse(status.GetRawText(), out _));
        int number = int.Parse(status.GetRawText(), System.Globalization.CultureInfo.InvariantCulture);
        Require(number is >= 100 and <= 599);
        bool hasError = result.TryGetProperty("error", out JsonElement error);
        if (number < 300 && !hasError)
        {
            return null;
        }

        string id = result.TryGetProperty("_id", out JsonElement value) ? Text(value) : "";
        return error.ValueKind == JsonValueKind.Object
            ? new ReadFailure(index, number, id, Last(error, "type"), Last(error, "reason"))
            : new ReadFailure(index, number, id, "", hasError ? Shown(error) : "");
    }

    private static string Last(JsonElement error, string name) => error.TryGetProperty(name, out JsonElement value) ? Shown(value) : "";

    private static string Text(JsonElement value)
    {
        try
        {
            return value.ValueKind == JsonValueKind.String ? value.GetString()! : "";
        }
        catch (InvalidOperationException)
        {
            // Half a surrogate pair: as it was written.
            return value.GetRawText()[1..^1];
        }
    }

    private static string Shown(JsonElement value) => UntrustedText.Shorten(Text(value));

    private static bool GetBooleanOrFail(this JsonElement element)
    {
        Require(element.ValueKind is JsonValueKind.True or JsonValueKind.False);
        return element.GetBoolean();
    }

    private static JsonElement.ArrayEnumerator EnumerateArrayOrFail(this JsonElement element)
    {
        Require(element.ValueKind == JsonValueKind.Array);
        return element.EnumerateArray();
    }

    private static JsonElement.ObjectEnumerator EnumerateObjectOrFail(this JsonElement element)
    {
        Require(element.ValueKind == JsonValueKind.Object);
        return element.EnumerateObject();
    }

    private static void Require(bool condition)
    {
        if (!condition)
        {
            throw new FormatException("Not a bulk response.");
        }
    }
}
