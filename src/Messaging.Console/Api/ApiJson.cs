using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Quayside.Messaging.Http;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Api;

/// <summary>The API's answers and requests.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow)]
[JsonSerializable(typeof(WorkerState))]
[JsonSerializable(typeof(HistoryState))]
[JsonSerializable(typeof(SettingsState))]
[JsonSerializable(typeof(DeadLetterList))]
[JsonSerializable(typeof(DeadLetterState))]
[JsonSerializable(typeof(RedriveState))]
[JsonSerializable(typeof(RedriveOrder))]
[JsonSerializable(typeof(RouteOrder))]
[JsonSerializable(typeof(PauseAnswer))]
internal sealed partial class ApiJson : JsonSerializerContext
{
    /// <summary>Answers are never HTML: quotes and umlauts stay readable.</summary>
    public static readonly ApiJson Readable =
        new(new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.CamelCase, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });

    /// <summary>
    /// The worker's state as it is: durations in seconds, texts on one line, calls by their names. Another program's JSON is an error.
    /// </summary>
    public static readonly ApiJson Stats = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters =
        {
            new JsonStringEnumConverter<BreakerState>(JsonNamingPolicy.KebabCaseLower),
            new JsonStringEnumConverter<ProblemSeverity>(JsonNamingPolicy.CamelCase),
            new Seconds(),
            new OneLine(),
            new Calls(),
        },
    });

    public static Task SendAsync<T>(HttpContext context, T answer, JsonTypeInfo<T> typeInfo, int status = StatusCodes.Status200OK) =>
        SendAsync(context, JsonSerializer.SerializeToUtf8Bytes(answer, typeInfo), status);

    public static async Task SendAsync(
        HttpContext context, ReadOnlyMemory<byte> body, int status = StatusCodes.Status200OK, string contentType = "application/json")
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = contentType;
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body, context.RequestAborted);
    }

    /// <summary>The JSON of a request.</summary>
    /// <returns>Null when it is not JSON of this form, or longer than allowed.</returns>
    public static async Task<T?> TryReadAsync<T>(HttpContext context, JsonTypeInfo<T> typeInfo, int maxBytes) where T : class
    {
        if (!context.Request.HasJsonContentType() || context.Request.ContentLength > maxBytes)
        {
            return null;
        }

        // Clients that write while they serialize send no length.
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
        {
            limit.MaxRequestBodySize = maxBytes;
        }

        try
        {
            return await JsonSerializer.DeserializeAsync(context.Request.Body, typeInfo, context.RequestAborted);
        }
        catch (Exception exception) when (exception is JsonException or BadHttpRequestException)
        {
            return null;
        }
    }

    /// <summary>Rounds to six decimals: microseconds for values in seconds.</summary>
    public static double Rounded(double value) => double.IsFinite(value) ? Math.Round(value, 6) : 0;

    private sealed class Seconds : JsonConverter<TimeSpan>
    {
        public override TimeSpan Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => System.TimeSpan.FromSeconds(reader.GetDouble());

        public override void Write(Utf8JsonWriter writer, TimeSpan value, JsonSerializerOptions options) =>
            writer.WriteNumberValue(Rounded(value.TotalSeconds));
    }

    private sealed class OneLine : JsonConverter<string>
    {
        public override string? Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => reader.GetString();

        public override void Write(Utf8JsonWriter writer, string value, JsonSerializerOptions options) => writer.WriteStringValue(OneLineText.Of(value));

        public override string ReadAsPropertyName(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => reader.GetString()!;

        public override void WriteAsPropertyName(Utf8JsonWriter writer, string value, JsonSerializerOptions options) => writer.WritePropertyName(value);
    }

    /// <summary>The counts of a live counter; they are read by people and pages alone.</summary>
    private sealed class Calls : JsonConverter<ApiCalls>
    {
        public override ApiCalls Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options)
        {
            reader.Skip();
            return new ApiCalls();
        }

        public override void Write(Utf8JsonWriter writer, ApiCalls value, JsonSerializerOptions options)
        {
            writer.WriteStartObject();
            foreach (ApiOperation operation in value.Operations)
            {
                writer.WriteNumber($"{operation.Service} {operation.Name}", value.Sent(operation));
            }

            writer.WriteEndObject();
        }
    }
}
