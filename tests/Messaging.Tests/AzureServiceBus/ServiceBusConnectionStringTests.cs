using Quayside.Messaging.AzureServiceBus;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ServiceBusConnectionStringTests
{
    [Theory]
    [InlineData("Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5==", "orders.servicebus.windows.net", null, false)]
    [InlineData(" endpoint = sb://h ; sharedaccesskeyname=n;SHAREDACCESSKEY=k;EntityPath=orders;", "h", "orders", false)]
    [InlineData(
        "Endpoint=orders.servicebus.windows.net;SharedAccessSignature=SharedAccessSignature sr=x&sig=y=&se=1893456000&skn=n", "orders.servicebus.windows.net",
        null, false)]
    [InlineData("Endpoint=sb://localhost:5674;SharedAccessKeyName=n;SharedAccessKey=k;UseDevelopmentEmulator=true;", "localhost", null, true)]
    public void Parse_WellFormed_HasItsParts(string text, string host, string? path, bool isEmulator) =>
        ServiceBusConnectionString.Parse(text, out _).ShouldBe(new ServiceBusConnectionString(host, path, isEmulator));

    [Theory]
    [InlineData("canary4711", "Name=value")]
    [InlineData("Endpoint=sb://h;Endpoint=sb://h;SharedAccessKeyName=n;SharedAccessKey=canary4711", "each name once")]
    [InlineData("SharedAccessKeyName=n;SharedAccessKey=canary4711", "Endpoint=sb://")]
    [InlineData("Endpoint=https://h;SharedAccessKeyName=n;SharedAccessKey=canary4711", "Endpoint=sb://")]
    [InlineData("Endpoint=sb://h;SharedAccessKey=canary4711", "SharedAccessKeyName")]
    [InlineData("Endpoint=sb://h", "FullyQualifiedNamespace")]
    [InlineData("Endpoint=sb://h;SharedAccessKeyName=canary4711;SharedAccessKey=", "SharedAccessKey,")]
    [InlineData("Endpoint=sb://h;SharedAccessKeyName=;SharedAccessKey=canary4711", "SharedAccessKeyName")]
    [InlineData("Endpoint=sb://h;SharedAccessSignature=canary4711", "sr=...&sig=...&se=...&skn=...")]
    [InlineData("Endpoint=sb://h;SharedAccessSignature=sr=canary4711&sig=y&se=1&skn=n", "SharedAccessSignature sr=")]
    [InlineData("Endpoint=sb://h;SharedAccessSignature=SharedAccessSignature sr=canary4711&sig=y&skn=n", "&se=")]
    [InlineData("Endpoint=sb://h;SharedAccessSignature=SharedAccessSignature sr=canary4711&sig=y&se=tomorrow&skn=n", "seconds since 1970")]
    [InlineData("Endpoint=sb://h;SharedAccessSignature=SharedAccessSignature sr=canary4711&sig=&se=1&skn=n", "&sig=")]
    public void Parse_Malformed_SaysWhatWithoutShowingAny(string text, string expected)
    {
        ServiceBusConnectionString.Parse(text, out string? problem).ShouldBeNull();

        problem.ShouldNotBeNull().ShouldContain(expected);
        problem.ShouldNotContain("canary");
    }
}
