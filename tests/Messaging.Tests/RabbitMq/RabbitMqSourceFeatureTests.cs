using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.RabbitMq;
using RabbitMQ.Client;
using Shared.Hosting;

namespace Messaging.Tests.RabbitMq;

public sealed class RabbitMqSourceFeatureTests
{
    [Fact]
    public void Plan_AddressWithAPassword_ShowsItNowhere()
    {
        WorkerPlan plan = Plan("Uri=amqps://worker:canary4711@rabbit.example/orders", "Queue=orders");

        plan.Errors.ShouldBeEmpty();
        plan.Effective.Single(setting => setting.Key == "Sources:RabbitMq:Uri").Value.ShouldBe("***");
        plan.Effective.ShouldAllBe(setting => !setting.Value.Contains("canary", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Queue: must be set", "Prefetch=10")]
    [InlineData("Uri = \"***\": must be an address such as amqp://", "Queue=q", "Uri=http://guest:canary4711@localhost")]
    [InlineData("Prefetch = \"1001\": must not exceed Intake:Concurrency (1000).", "Queue=q", "Prefetch=1001")]
    [InlineData("DeadLetterQueue = \"q\": must not be the same queue as Queue.", "Queue=q", "DeadLetterQueue=q")]
    [InlineData("User = \"worker\": must be set together with the other: User and Password.", "Queue=q", "User=worker")]
    [InlineData("CaCertificate = \"/no/such/file\": needs an address amqps:// in Uri.", "Queue=q", "CaCertificate=/no/such/file")]
    [InlineData("ClientCertificate: must be set when ClientCertificateKey is.", "Queue=q", "ClientCertificateKey=/no/such/file")]
    [InlineData("MaxHoldTime = \"30m\": must be from 0s to 25m.", "Queue=q", "MaxHoldTime=30m")]
    public void Plan_Unsafe_IsRefused(string expected, params string[] settings)
    {
        string[] errors = [.. Plan(settings).Errors.Select(error => error.ToString())];

        errors.ShouldContain(error => error.StartsWith($"Sources:RabbitMq:{expected}", StringComparison.Ordinal), string.Join('\n', errors));
        errors.ShouldAllBe(error => !error.Contains("canary", StringComparison.Ordinal));
    }

    [Fact]
    public void CreateFactory_TlsByAddress_ChecksTheHostName()
    {
        ConnectionFactory factory = Factory(new RabbitMqSourceOptions { Uri = "amqps://worker:word@rabbit.example/orders", Queue = "q" });

        factory.Ssl.Enabled.ShouldBeTrue();
        factory.Ssl.ServerName.ShouldBe("rabbit.example");
        factory.Ssl.AcceptablePolicyErrors.ShouldBe(System.Net.Security.SslPolicyErrors.None);
        (factory.UserName, factory.Password, factory.VirtualHost).ShouldBe(("worker", "word", "orders"));
        factory.AutomaticRecoveryEnabled.ShouldBeFalse();
    }

    [Fact]
    public void CreateFactory_UserAndPassword_OverrideTheAddress()
    {
        ConnectionFactory factory =
            Factory(new RabbitMqSourceOptions { Uri = "amqp://a:b@rabbit.example/c", User = "worker", Password = "word", Queue = "q" });

        (factory.UserName, factory.Password, factory.VirtualHost).ShouldBe(("worker", "word", "c"));
    }

    [Theory]
    [InlineData("amqp://h1:5672,h2:5673/v", "h1:5672 v guest, h2:5673 v guest")]
    [InlineData("amqps://worker:a,b@h1,h2,[::1]:7/", "h1:5671 / worker, h2:5671 / worker, [::1]:7 / worker")]
    [InlineData("amqp://h1", "h1:5672 / guest")]
    public void Hosts_OfAnAddress_EachHasTheRestOfIt(string address, string expected)
    {
        RabbitMqSourceOptions options = new() { Uri = address, Queue = "q" };
        ConnectionFactory[] hosts = [.. options.Hosts.Select(host => options.CreateFactory("testing", host!))];

        string.Join(", ", hosts.Select(static host => $"{host.Endpoint.HostName}:{host.Endpoint.Port} {host.VirtualHost} {host.UserName}")).ShouldBe(expected);
        hosts.ShouldAllBe(host => !host.Ssl.Enabled || host.Endpoint.Ssl.ServerName == host.HostName);
        options.Address.ShouldNotContain("worker");
    }

    [Theory]
    [InlineData("amqp://h1:5672,h2:x/v")]
    [InlineData("amqp://h1:5672,/v")]
    [InlineData("amqp:///v")]
    [InlineData("h1,h2")]
    [InlineData("://")]
    [InlineData("amqp://")]
    public void Plan_AHostIsNone_IsRefused(string address) =>
        Plan("Queue=q", $"Uri={address}").Errors
            .ShouldHaveSingleItem()
            .ToString()
            .ShouldStartWith("Sources:RabbitMq:Uri = \"***\": must be an address such as amqp://");

    [Theory]
    [InlineData("amqp://h/v?heartbeat=30&conection_timeout=5", " (heartbeat, conection_timeout): instead of heartbeat,")]
    [InlineData("amqp://h1,h2/?heartbeat=30", " (heartbeat): instead of heartbeat,")]
    [InlineData("amqp://h/#canary", ": instead of heartbeat,")]
    [InlineData("amqp://u:12?canary=@h/v", ": instead of heartbeat,")]
    public void Plan_AddressWithParameters_NamesThem(string address, string expected)
    {
        string error = Plan("Queue=q", $"Uri={address}").Errors.ShouldHaveSingleItem().ToString();

        error.ShouldStartWith($"Sources:RabbitMq:Uri = \"***\": must have no parameters{expected}");
        error.ShouldNotContain("canary");
    }

    private static ConnectionFactory Factory(RabbitMqSourceOptions options) => options.CreateFactory("testing", options.Hosts.ShouldHaveSingleItem()!);

    private static WorkerPlan Plan(params string[] settings) => WorkerHost.Plan(new ConfigurationBuilder()
        .AddCommandLine(["--Routes:archive:Source=RabbitMq", "--Routes:archive:Sink=Directory", .. settings.Select(setting => $"--Sources:RabbitMq:{setting}")])
        .Build());
}
