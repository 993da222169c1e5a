using System.Text.Json.Serialization;

namespace OrdersApp;

[JsonSerializable(typeof(Order))]
internal sealed partial class OrderJson : JsonSerializerContext;
