using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Messaging.Tests.Envelopes;

/// <summary>The settings of envelopes: what validate refuses, what a chain without them has, and what explain-key shows.</summary>
public sealed class EnvelopeSettingTests
{
    [Theory]
    [InlineData("Routes:archive:Envelope=Sms", "there is no such envelope", "Did you mean Sns?")]
    [InlineData("Routes:archive:Envelope=JsonArray;Unwrapping:Store=Whole", "must be Content with the envelope JsonArray", "")]
    [InlineData("Routes:archive:Envelope=Gzip;Unwrapping:Store=Whole;Bundles:Enabled=true", "must be Content with Bundles:Enabled", "")]
    [InlineData("Routes:archive:Envelope=Gzip;Unwrapping:Unrecognised=Pass", "Unrecognised", "Did you mean Unrecognized?")]
    [InlineData("Routes:archive:Envelope=Gzip;Envelopes:Gzip:Level=3", "Level", "")]
    [InlineData(
        "Routes:archive:Envelope=Sns;Envelopes:Sns:Topics=arn:aws:sqs:eu-west-1:1:orders", "must be ARNs of topics",
        "arn:aws:sns:eu-west-1:123456789012:orders")]
    [InlineData("Routes:archive:Envelope=Sns;Envelopes:Sns:Topics=orders", "must be ARNs of topics", "\"orders\" is not one")]
    [InlineData(
        "Routes:archive:Envelope=CloudEvents, JsonArray;Handlers:Archive:MessageIdProperty=@attribute.ce-id",
        "must be a property of the body, or @id, with the envelope JsonArray", "")]
    [InlineData(
        "Routes:archive:Envelope=JsonLines;Handlers:Archive:MessageIdProperty=@deduplication-id:any", "all messages out of one would have the same id", "")]
    [InlineData("Envelopes:Gzap:Level=3", "Gzap", "Did you mean Gzip?")]
    public void Plan_WithASettingThatDoesNotFit_SaysWhatDoes(string settings, string problem, string advice)
    {
        WorkerPlan plan = Plan(settings);

        string errors = string.Join('\n', plan.Errors.Select(error => error.ToString()));
        errors.ShouldContain(problem);
        errors.ShouldContain(advice);
    }

    [Fact]
    public void Plan_WorkerWithoutThePackage_SaysSo()
    {
        WorkerPlan plan = Plan("Routes:archive:Envelope=Sns", worker => worker.AddArchive());

        string
            .Join('\n', plan.Errors.Select(error => error.ToString()))
            .ShouldContain("the worker has none. If another package has it, call that package's Add method first.");
    }

    [Fact]
    public void Plan_ARouteMayOverrideWhatIsUnwrapped()
    {
        WorkerPlan plan = Plan("Routes:archive:Source=Channel;Routes:archive:Envelope=Gzip;Routes:archive:Unwrapping:Store=Whole;Routes:other:Source=Channel");

        plan.Errors.ShouldBeEmpty();
        plan.Routes
            .Select(route => $"{route.DescribeParts()} {route.Unwrapping.Store}")
            .ShouldBe(["Channel -> Gzip -> Archive -> Directory Whole", "Channel -> Archive -> Directory Content"], ignoreOrder: true);
    }

    [Theory]
    [InlineData("", "TracingBehavior,ArchiveConnector,RetryBehavior,StoreTerminator")]
    [InlineData("Sns, Gzip, JsonLines", "TracingBehavior,Sns,Gzip,JsonLines,ArchiveConnector,RetryBehavior,StoreTerminator")]
    public async Task Chain_OfARoute_HasAPartPerEnvelope(string envelope, string parts)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(envelope);

        string chain = worker.Services.GetRequiredService<WorkerPlan>().Routes.ShouldHaveSingleItem().DescribeChain(worker.Services);

        string
            .Join(',',
                chain
                    .Split('\n')
                    .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
                    .Where(words => words.Length > 2 && words[0] != "stage" && int.TryParse(words[0], out _))
                    .Select(words => words[2]))
            .ShouldBe(parts);
    }

    [Theory]
    [InlineData("JsonArray", """[{"MessageId":"a"},{"x":1}]""", false, "message m-1 of 17 bytes:|  key a|message m-2 of 7 bytes:|  dead letter missing-id")]
    [InlineData("JsonLines, Base64", "eyJNZXNzYWdlSWQiOiJhIn0=\n!", false, "message m-1 of 17 bytes:|  key a|message m-2:|  dead letter not-base64")]
    [InlineData("Base64", "eyJNZXNzYWdlSWQiOiJhIn0=", true, "envelope Base64, message m of 17 bytes:|  key a")]
    [InlineData("Base64", "!", false, "message m:|  dead letter not-base64|The body is not base64: byte 0 is not of its alphabet.")]
    public void ExplainKey_OfAMessageInAnEnvelope_ShowsTheKeysOfItsContent(string envelope, string body, bool hasAll, string lines)
    {
        WorkerPlan plan = Plan($"Routes:archive:Envelope={envelope}");
        StringWriter output = new();

        bool result = KeyReport.ExplainAll(
            plan.Routes.ShouldHaveSingleItem(), new ArchiveOptions { Template = "{MessageId}" },
            new SampleMessage(System.Text.Encoding.UTF8.GetBytes(body), "m"), output);

        result.ShouldBe(hasAll);
        int at = 0;
        foreach (string line in lines.Split('|'))
        {
            int found = output.ToString().IndexOf(line, at, StringComparison.Ordinal);
            found.ShouldBeGreaterThanOrEqualTo(at, $"{line} in {output}");
            at = found;
        }
    }

    [Fact]
    public void ExplainKey_OfAnEnvelopeThatCallsAService_SaysWhatToDo()
    {
        WorkerPlan plan = Plan("Routes:archive:Envelope=Sns;Envelopes:Sns:Topics=arn:aws:sns:eu-west-1:123456789012:orders");

        Should.Throw<StartupException>(() => EnvelopeExplainer.Unwrap(plan.Routes.ShouldHaveSingleItem(), new SampleMessage([], "m"))).Message.ShouldContain(
            "to take the content out of the envelope Sns, a service must be called");
    }

    private static WorkerPlan Plan(string settings, Action<IMessageWorkerBuilder>? add = null)
    {
        MessageWorkerBuilder worker = new(new ServiceCollection());
        (add ?? (builder => builder.AddEnvelopes().AddExtendedClient().AddSqs().AddArchive()))(worker);
        Dictionary<string, string?> values = settings
            .Split(';', StringSplitOptions.RemoveEmptyEntries)
            .Select(setting => setting.Split('=', 2))
            .ToDictionary(pair => pair[0], string? (pair) => pair[1]);
        values.TryAdd("Routes:archive:Source", "Channel");
        return new WorkerPlanner(new ConfigurationBuilder().AddInMemoryCollection(values).Build(), worker.Features).Plan();
    }
}
