using Quayside.Messaging.Configuration;

namespace OrdersApp;

internal sealed class OutboxOptions
{
    [Setting("The file that the shop appends orders to", Required = true)]
    public string Path { get; set; } = string.Empty;
}
