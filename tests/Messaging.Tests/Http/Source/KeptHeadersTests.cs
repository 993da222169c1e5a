using System.Collections.Concurrent;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Sending;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Publishing;
using Quayside.Pipeline.Settlements;
using Tests.Shared;

namespace Messaging.Tests.Http.Source;

/// <summary>Which headers of a request become attributes of its messages.</summary>
public sealed class KeptHeadersTests
{
    private static readonly string[] Event = ["CE-SpecVersion: 1.0", "ce-id: 1", "ce-type: t", "ce-source: /s", "X-Tenant: acme", "Authorization: secret"];

    public static TheoryData<string, string> Patterns => new()
    {
        { "ce-*", "ce-specversion=1.0,ce-id=1,ce-type=t,ce-source=/s" },
        { "", "" },
        { "x-tenant", "x-tenant=acme" },
        { "X-T*,x-tenant,ce-id", "x-tenant=acme,ce-id=1" },
        { "x-none,y-*", "" },
    };

    [Theory]
    [MemberData(nameof(Patterns))]
    public async Task Post_Headers_BecomeAttributesByTheAllowList(string patterns, string attributes)
    {
        await using HttpSourceHost host =
            await HttpSourceHost.StartAsync(options => options.Headers = patterns.Split(',', StringSplitOptions.RemoveEmptyEntries));
        Task<HttpResponseMessage> posting = host.Client.SendAsync(Request("""{"x":1}""", "application/json", Event));

        Delivery delivery = await host.Intake.NextAsync();

        delivery.Message.Attributes
            .Select(attribute => $"{attribute.Key}={attribute.Value}")
            .ShouldBe(attributes.Split(',', StringSplitOptions.RemoveEmptyEntries), ignoreOrder: true);
        delivery.Message.FindAttribute("X-Tenant").ShouldBe(attributes.Contains("x-tenant", StringComparison.Ordinal) ? "acme" : null);
        await delivery.SettleAsync(Settlement.DeadLetter("r", "d"));
        (await posting).Dispose();
        host.DeadLetters.Records.ShouldHaveSingleItem().Attributes.Count.ShouldBe(attributes.Split(',', StringSplitOptions.RemoveEmptyEntries).Length);

        posting = host.Client.SendAsync(Request("{}", "application/json", []));
        delivery = await host.Intake.NextAsync();
        delivery.Message.Attributes.ShouldBeEmpty("The object is used again.");
        await delivery.SettleAsync(Settlement.Complete);
        (await posting).Dispose();
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_CloudEventsHeadersWithoutTheVersion_AreNoEvent()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        Task<HttpResponseMessage> posting = host.Client.SendAsync(Request("{}", "application/json", ["ce-id: 1"]));

        Delivery delivery = await host.Intake.NextAsync();

        delivery.Message.Attributes.ShouldBeEmpty();
        await delivery.SettleAsync(Settlement.Complete);
        (await posting).Dispose();
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_Lines_ShareTheHeadersOfTheirRequest()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.Headers = ["x-tenant"]);
        ConcurrentQueue<string?> seen = [];
        host.Intake.Script = delivery =>
        {
            seen.Enqueue(delivery.Message.FindAttribute("x-tenant"));
            return Settlement.Complete;
        };

        using HttpResponseMessage response = await host.Client.SendAsync(Request("{}\n{}\n", "application/x-ndjson", ["X-Tenant: a", "X-Tenant: b"]));

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        seen.ShouldBe(["a, b", "a, b"]);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("application/x-ndjson")]
    public async Task Post_TooManyCharacters_IsRefusedAndNothingIsAccepted(string type)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.Headers = ["x-tenant"]);

        using HttpResponseMessage response = await host.Client.SendAsync(Request("{}", type, ["X-Tenant: " + new string('t', KeptHeaders.MaxCharacters)]));

        ((int)response.StatusCode).ShouldBe(431);
        (await response.Content.ReadAsStringAsync()).ShouldContain("headers-too-large");
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("Authorization", "'Authorization' must not take Authorization: name the headers that are needed.")]
    [InlineData("cookie", "'cookie' must not take Cookie: name the headers that are needed.")]
    [InlineData("proxy-*", "'proxy-*' must not take Proxy-Authorization: name the headers that are needed.")]
    [InlineData("a b", "'a b' must be the name of a header, such as x-tenant, or the start of names and a *, such as ce-*.")]
    [InlineData("x-*-y", "'x-*-y' must be the name of a header, such as x-tenant, or the start of names and a *, such as ce-*.")]
    [InlineData("ce-*", null)]
    [InlineData("x-tenant", null)]
    public void FindProblem_Pattern_RefusesCredentials(string pattern, string? problem) => HeaderRules.FindProblem(pattern).ShouldBe(problem);

    [Fact]
    public void FindProblem_EveryHeader_IsRefused() => HeaderRules.FindProblem("*").ShouldNotBeNull().ShouldStartWith("'*' must not take ");

    [Fact]
    public void TryRead_NothingKept_AllocatesNothing()
    {
        KeptHeaders kept = new(["ce-*", "x-tenant"]);
        HeaderDictionary headers = new() { ["Host"] = "x", ["Content-Type"] = "application/json" };

        MinBytes.OfThread(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                kept.TryRead(headers, out _, out _);
            }
        }).ShouldBe(0);
    }

    [Fact]
    public async Task CloudEvent_InBinaryMode_IsStoredUnderItsId()
    {
        await using TestWorker worker = await TestWorker.StartAsync(
            builder => builder.AddHttp().AddEnvelopes().AddArchive(),
            [
                new("Routes:archive:Handler", "Archive"),
                new("Routes:archive:Sink", TestWorker.Sink),
                new("Routes:archive:Source", "Http"),
                new("Routes:archive:Envelope", "CloudEvents"),
                new("Handlers:Archive:Template", "{@attribute.ce-source:encode}/{MessageId}"),
                new("Handlers:Archive:MessageIdProperty", "@attribute.ce-id"),
                new("Hosting:Url", "http://127.0.0.1:0"),
            ]);
        using HttpClient client = new() { BaseAddress = new Uri(worker.Services.GetRequiredService<WebServer>().Urls.ShouldHaveSingleItem()) };
        using HttpSender sender = HttpSender.Open(client.BaseAddress!, route: null, new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null));

        using HttpResponseMessage response = await client.SendAsync(Request("""{"x":1}""", "application/json", Event));
        string?[] errors = await sender.SendAsync(
            [new OutgoingMessage("m", """{"y":2}"""u8.ToArray()) { Attributes = [new("ce-specversion", "1.0"), new("ce-id", "2"), new("ce-source", "/s")] }],
            CancellationToken.None);

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        errors.ShouldBe([null]);
        worker.Stored.Objects.ToDictionary(stored => stored.Key, stored => Encoding.UTF8.GetString(stored.Value)).ShouldBe(
            new Dictionary<string, string> { ["=2fs/1"] = """{"x":1}""", ["=2fs/2"] = """{"y":2}""" }, ignoreOrder: true);
    }

    [Theory]
    [InlineData("x-tenant", "acme", true)]
    [InlineData("x tenant", "acme", false)]
    [InlineData("x-tenant", "ä", false)]
    [InlineData("x-tenant", "", false)]
    [InlineData("Host", "h", false)]
    [InlineData("X-Message-Id", "h", false)]
    [InlineData("Content-Length", "1", false)]
    [InlineData("authorization", "a", false)]
    public void CheckAttribute_OfTheSender_TakesWhatAHeaderCanBe(string name, string value, bool isSent)
    {
        using HttpSender sender =
            HttpSender.Open(new Uri("http://127.0.0.1:1"), route: null, new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null));

        (sender.CheckAttribute(name, value) is null).ShouldBe(isSent);
    }

    private static HttpRequestMessage Request(string body, string type, string[] headers)
    {
        HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new StringContent(body, Encoding.UTF8, type) };
        foreach (string[] header in headers.Select(header => header.Split(": ")))
        {
            request.Headers.TryAddWithoutValidation(header[0], header[1]);
        }

        return request;
    }
}
