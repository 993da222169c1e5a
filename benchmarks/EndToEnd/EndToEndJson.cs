using System.Text.Json.Serialization;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.EndToEnd.Server;

namespace Benchmarks.EndToEnd;

[JsonSerializable(typeof(QueueTotals))]
[JsonSerializable(typeof(ClientSample))]
[JsonSerializable(typeof(SqsShapes.ReceiveRequest))]
[JsonSerializable(typeof(SqsShapes.ReceiveResponse))]
[JsonSerializable(typeof(SqsShapes.DeleteRequest))]
[JsonSerializable(typeof(SqsShapes.DeleteResponse))]
internal sealed partial class EndToEndJson : JsonSerializerContext;
