using System.Text.Json.Serialization;
using Quayside.Messaging.Console.Api;

namespace Quayside.Messaging.Console.Commands;

/// <summary>Reads the API's answer, also that of an older worker; another program's JSON is an error.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(WorkerState))]
[JsonSerializable(typeof(RouteOrder))]
internal sealed partial class WorkerStateJson : JsonSerializerContext;
