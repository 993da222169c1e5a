using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http.Web;

namespace Messaging.Tests.Envelopes;

/// <summary>What SNS reads as the answer to its requests: it sends a message again after 5xx, and after no other of these.</summary>
public sealed class SnsOverHttpTests : IDisposable
{
    private readonly SnsSignatory _sns = new();

    [Fact]
    public async Task Post_Notification_IsStored()
    {
        await using TestWorker worker = await StartAsync();

        (HttpStatusCode status, JsonElement answer) = await PostAsync(worker, "Notification", _sns.Notification("""{"MessageId":"a"}"""));

        status.ShouldBe(HttpStatusCode.OK, answer.GetRawText());
        EnvelopeWorker.StoredBy(worker).ShouldBe(["""a: {"MessageId":"a"}"""]);
    }

    [Fact]
    public async Task Post_SubscriptionConfirmation_Answers200AndStoresNothing()
    {
        await using TestWorker worker = await StartAsync();

        (HttpStatusCode status, _) = await PostAsync(worker, "SubscriptionConfirmation", _sns.Confirmation());

        status.ShouldBe(HttpStatusCode.OK);
        _sns.Called.ShouldContain(SnsSignatory.SubscribeUrl);
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("TopicArn", "arn:aws:sns:eu-west-1:123456789012:other", "sns-topic-not-allowed")]
    [InlineData("Message", "{}", "sns-signature-invalid")]
    public async Task Post_OfAnotherSender_Answers422(string member, string value, string reason)
    {
        await using TestWorker worker = await StartAsync();

        (HttpStatusCode status, JsonElement answer) =
            await PostAsync(worker, "Notification", new(_sns.Notification("""{"MessageId":"a"}""")) { [member] = value });

        status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        answer.GetProperty("reason").GetString().ShouldBe(reason);
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Fact]
    public async Task Post_WhileTheCertificateCannotBeHad_Answers503HoweverOften()
    {
        await using TestWorker worker = await StartAsync();
        Func<string, HttpResponseMessage> found = _sns.Answer;
        _sns.Answer = _ => new HttpResponseMessage(HttpStatusCode.NotFound);
        Dictionary<string, string> notification = _sns.Notification("""{"MessageId":"a"}""");

        for (int attempt = 0; attempt < 10; attempt++)
        {
            (HttpStatusCode status, JsonElement answer) = await PostAsync(worker, "Notification", notification);
            status.ShouldBe(HttpStatusCode.ServiceUnavailable);
            answer.GetProperty("message").GetString()!.ShouldContain(
                "The certificate of the signature could not be had from sns.eu-west-1.amazonaws.com: the answer has the status 404.");
        }

        _sns.Answer = found;
        (await PostAsync(worker, "Notification", notification)).Status.ShouldBe(HttpStatusCode.OK, "Made-up messages must not make the route pause.");
        worker.DeadLetters.Messages.ShouldBeEmpty();
    }

    public void Dispose() => _sns.Dispose();

    private Task<TestWorker> StartAsync() => EnvelopeWorker.StartAsync(
        worker => worker.AddEnvelope(new SnsFeature(() => _sns)).AddArchive().AddHttp(),
        "Sns",
        ["Routes:archive:Source=Http", $"Envelopes:Sns:Topics={SnsSignatory.Topic}"]);

    // As SNS does: its JSON is declared as text.
    private static async Task<(HttpStatusCode Status, JsonElement Answer)> PostAsync(TestWorker worker, string type, Dictionary<string, string> members)
    {
        using HttpClient client = new() { BaseAddress = new Uri(worker.Services.GetRequiredService<WebServer>().Urls.ShouldHaveSingleItem()) };
        using StringContent body = new(SnsSignatory.Json(members), Encoding.UTF8, "text/plain");
        body.Headers.Add("x-amz-sns-message-type", type);
        body.Headers.Add("x-amz-sns-topic-arn", members["TopicArn"]);
        using HttpResponseMessage response = await client.PostAsync("/messages/archive", body);
        return (response.StatusCode, JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement);
    }
}
