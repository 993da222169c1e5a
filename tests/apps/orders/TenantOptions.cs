using Quayside.Messaging.Configuration;

namespace OrdersApp;

internal sealed class TenantOptions
{
    [Setting("How long a tenant is remembered", Min = "1s", Max = "24h")]
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromMinutes(5);
}
