using Quayside.Messaging.Configuration;

namespace OrdersApp;

internal sealed class BookOptions
{
    [Setting("Pieces of one order at most", Min = "1", Max = "100")]
    public int MaxQuantity { get; set; } = 10;

    [Setting("The key of the shop's API", Secret = true)]
    public string? ApiKey { get; set; }
}
