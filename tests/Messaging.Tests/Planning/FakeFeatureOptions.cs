using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Planning;

internal sealed class FakeFeatureOptions
{
    [Setting("A speed", Min = "1", Max = "9")]
    public int Speed { get; set; } = 5;
}
