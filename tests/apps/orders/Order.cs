namespace OrdersApp;

/// <summary>A message.</summary>
internal sealed record Order(string Id, int Quantity);
