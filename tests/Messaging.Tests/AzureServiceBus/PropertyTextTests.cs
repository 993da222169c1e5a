using Quayside.Messaging.AzureServiceBus;

namespace Messaging.Tests.AzureServiceBus;

public sealed class PropertyTextTests
{
    [Fact]
    public void Format_TypesOfAmqp_AreReadable()
    {
        PropertyText.Format(null).ShouldBe(string.Empty);
        PropertyText.Format("text").ShouldBe("text");
        PropertyText.Format(true).ShouldBe("true");
        PropertyText.Format(-12L).ShouldBe("-12");
        PropertyText.Format(1.5).ShouldBe("1.5");
        PropertyText.Format(new Guid("0f8fad5b-d9cb-469f-a165-70867728950e")).ShouldBe("0f8fad5b-d9cb-469f-a165-70867728950e");
        PropertyText.Format(new DateTime(2026, 1, 31, 10, 0, 0, DateTimeKind.Utc)).ShouldBe("2026-01-31T10:00:00.0000000Z");
        PropertyText.Format("AB"u8.ToArray()).ShouldBe("QUI=");
    }
}
