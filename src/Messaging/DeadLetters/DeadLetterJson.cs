using System.Text.Json;
using System.Text.Json.Serialization;

namespace Messaging.DeadLetters;

/// <summary>The JSON form of a dead letter's record.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, WriteIndented = false)]
[JsonSerializable(typeof(DeadLetter))]
internal sealed partial class DeadLetterJson : JsonSerializerContext;
