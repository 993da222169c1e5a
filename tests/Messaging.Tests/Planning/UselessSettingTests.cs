using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Messaging.Tests.Planning;

/// <summary>Settings that are valid and can have no effect: validate and the start warn of them.</summary>
public sealed class UselessSettingTests
{
    [Theory]
    [InlineData(
        "Udp", "{@group}/{MessageId}", "",
        "Handlers:Archive:Template = \"{@group}/{MessageId}\": asks for @group, which no message of Udp has in the route archive")]
    [InlineData("TcpLines", "{@attribute.tenant}/{MessageId}", "", "asks for @attribute.tenant, which no message of TcpLines has")]
    [InlineData("Http", "{@attribute.x-tenant}/{MessageId}", "", "asks for @attribute.x-tenant, which no message of Http has")]
    [InlineData("Http", "{@attribute.X-Tenant}/{MessageId}", "Sources:Http:Headers=x-tenant", "asks for @attribute.X-Tenant, which no message of Http has")]
    [InlineData("Sqs", "{@subject}/{MessageId}", "Sources:Sqs:Queue=orders", "asks for @subject, which no message of Sqs has")]
    [InlineData("Sqs", "{@deduplication-id}/{MessageId}", "Sources:Sqs:Queue=orders", "asks for @deduplication-id, which no message of Sqs has")]
    [InlineData(
        "Channel, Udp", "{MessageId}", "Handlers:Archive:MessageIdProperty=@reply-to",
        "Handlers:Archive:MessageIdProperty = \"@reply-to\": asks for @reply-to, which no message of Channel, Udp has")]
    [InlineData(
        "Udp", "{MessageId}", "Routes:archive:Sink=S3;Sinks:S3:Bucket=b-c;Handlers:Archive:Metadata:who={@attribute.tenant}",
        "Handlers:Archive:Metadata:who = \"{@attribute.tenant}\": asks for @attribute.tenant")]
    [InlineData(
        "Sqs", "{MessageId}", "Sources:Sqs:Queue=orders;Envelopes:Sns:Topics=arn:aws:sns:eu-west-1:123456789012:orders",
        "Envelopes:Sns: is set, and no route has the envelope Sns")]
    [InlineData(
        "Sqs", "{MessageId}", "Sources:Sqs:Queue=orders;Routes:archive:Envelopes:Sns:Topics=arn:aws:sns:eu-west-1:123456789012:orders",
        "Routes:archive:Envelopes:Sns: is set, and the route does not have the envelope Sns")]
    public void Plan_ThatCanNeverHaveAnEffect_IsAWarning(string source, string template, string settings, string warning)
    {
        WorkerPlan plan = Plan(source, template, settings);

        plan.Errors.ShouldBeEmpty();
        plan.Warnings.ShouldHaveSingleItem().ToString().ShouldContain(warning);
    }

    [Theory]
    [InlineData("Udp", "{@id}/{@enqueued:yyyy}/{MessageId}", "")]
    [InlineData("Udp, Channel", "{@group}/{@attribute.tenant}/{@deduplication-id}/{MessageId}", "")]
    [InlineData("Http", "{@attribute.ce-type}/{@attribute.x-tenant}/{MessageId}", "Sources:Http:Headers=ce-*,X-*")]
    [InlineData("Sqs", "{@group}/{@deduplication-id}/{@attribute.tenant}/{MessageId}", "Sources:Sqs:Queue=orders.fifo")]
    [InlineData("TcpLines", "{@attribute.ce-type}/{MessageId}", "Routes:archive:Envelope=CloudEvents")]
    [InlineData("Sqs", "{MessageId}", "Sources:Sqs:Queue=orders;Routes:archive:Envelope=Sns;Envelopes:Sns:Topics=arn:aws:sns:eu-west-1:123456789012:orders")]
    public void Plan_ThatMayHaveAnEffect_IsNone(string source, string template, string settings) => Plan(source, template, settings).Warnings.ShouldBeEmpty();

    private static WorkerPlan Plan(string source, string template, string settings)
    {
        MessageWorkerBuilder worker = new(new ServiceCollection());
        worker.AddEnvelopes().AddArchive().AddSqs().AddS3().AddUdp().AddTcpLines().AddHttp();
        Dictionary<string, string?> values = settings
            .Split(';', StringSplitOptions.RemoveEmptyEntries)
            .Select(setting => setting.Split('=', 2))
            .ToDictionary(pair => pair[0], string? (pair) => pair[1]);
        values["Routes:archive:Source"] = source;
        values["Handlers:Archive:Template"] = template;
        return new WorkerPlanner(new ConfigurationBuilder().AddInMemoryCollection(values).Build(), worker.Features).Plan();
    }
}
