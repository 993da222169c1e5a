using System.Text.Json.Serialization;

namespace Harness.Collecting;

[JsonSerializable(typeof(CollectedAllocations))]
internal sealed partial class CollectorJson : JsonSerializerContext;
