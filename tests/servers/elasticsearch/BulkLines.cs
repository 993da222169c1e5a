using System.Text.Json;

namespace ElasticsearchServer;

/// <summary>Reads the lines of a bulk request and refuses those that Elasticsearch refuses.</summary>
internal static class BulkLines
{
    private static readonly string[] Actions = ["create", "index", "update", "delete"];

    /// <exception cref="ApiException">The whole request is malformed.</exception>
    public static List<BulkAction> Read(ReadOnlyMemory<byte> body, string? defaultIndex)
    {
        if (body.Length == 0)
        {
            throw new ApiException(400, "parse_exception", "request body is required");
        }

        if (body.Span[^1] != '\n')
        {
            throw new ApiException(400, "illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]");
        }

        List<BulkAction> actions = [];
        for (int number = 1; body.Length > 0; number++)
        {
            (string action, string? index, string? id) = ReadAction(TakeLine(ref body), number);
            ReadOnlyMemory<byte> source = default;
            if (action != "delete")
            {
                if (body.Length == 0)
                {
                    throw new ApiException(400, "illegal_argument_exception", $"The bulk request ends behind the action line [{number}]");
                }

                source = TakeLine(ref body);
                number++;
            }

            actions.Add(new BulkAction(
                action,
                index
                    ?? defaultIndex
                    ?? throw new ApiException(400, "action_request_validation_exception", $"Validation Failed: {actions.Count + 1}: index is missing;"),
                id,
                source));
        }

        return actions;
    }

    private static ReadOnlyMemory<byte> TakeLine(ref ReadOnlyMemory<byte> body)
    {
        int end = body.Span.IndexOf((byte)'\n');
        ReadOnlyMemory<byte> line = body[..end];
        body = body[(end + 1)..];
        return line;
    }

    private static (string Action, string? Index, string? Id) ReadAction(ReadOnlyMemory<byte> line, int number)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(line);
            JsonProperty[] members = document.RootElement.ValueKind == JsonValueKind.Object ? [.. document.RootElement.EnumerateObject()] : [];
            if (members is not [var member] || !Actions.Contains(member.Name, StringComparer.Ordinal) || member.Value.ValueKind != JsonValueKind.Object)
            {
                throw Malformed(number, "expected one object of one action");
            }

            string? index = null;
            string? id = null;
            foreach (JsonProperty parameter in member.Value.EnumerateObject())
            {
                switch (parameter.Name)
                {
                    case "_index":
                        index = parameter.Value.GetString();
                        break;
                    case "_id":
                        id = parameter.Value.GetString();
                        break;
                    default:
                        throw new ApiException(
                            400, "illegal_argument_exception", $"Action/metadata line [{number}] contains an unknown parameter [{parameter.Name}]");
                }
            }

            return (member.Name, index, id);
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            throw Malformed(number, exception.Message);
        }
    }

    private static ApiException Malformed(int number, string why) =>
        new(400, "illegal_argument_exception", $"Malformed action/metadata line [{number}], {why}");
}
