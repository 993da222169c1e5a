using System.Net;
using System.Security.Cryptography;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>Where topics are allowed by name: whose notifications are accepted, and which subscriptions are confirmed.</summary>
public sealed class SnsSenderTests : IDisposable
{
    private const string Message = """{"MessageId":"a"}""";

    private const string SecondTopic = "arn:aws:sns:eu-west-1:123456789012:second";

    private readonly SnsSignatory _sns = new();

    public static TheoryData<string, string, string, string> Forged => new()
    {
        { "TopicArn", "arn:aws:sns:eu-west-1:123456789012:other", "sns-topic-not-allowed",
            "arn:aws:sns:eu-west-1:123456789012:other, which Envelopes:Sns:Topics does not name" },
        { "TopicArn", SecondTopic, "sns-signature-invalid", "was not made from this message" },
        { "Message", "{}", "sns-signature-invalid", "was not made from this message" },
        { "Subject", "added", "sns-signature-invalid", "was not made from this message" },
        { "Timestamp", "", "sns-signature-invalid", "was not made from this message" },
        { "Timestamp", "1\n", "sns-signature-invalid", "its Timestamp has a line feed" },
        { "Signature", "", "sns-signature-invalid", "no Signature in base64" },
        { "Signature", "?", "sns-signature-invalid", "no Signature in base64" },
        { "Signature", "AAAA", "sns-signature-invalid", "was not made from this message" },
        { "SignatureVersion", "3", "sns-signature-invalid", "its SignatureVersion is 3, not 1 or 2" },
        { "SignatureVersion", "1", "sns-signature-invalid", "was not made from this message" },
        { "SigningCertURL", "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sns.eu-west-1.amazonaws.com.example.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://example.com/sns.eu-west-1.amazonaws.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sns.eu-west-1.amazonaws.com@example.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://user@sns.eu-west-1.amazonaws.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sns.eu-west-1.amazonaws.com:8443/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://x.sns.eu-west-1.amazonaws.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sns.a.b.amazonaws.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sqs.eu-west-1.amazonaws.com/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sns.eu-west-1.amazonaws.com/1.txt", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "https://sns.eu-west-1.amazonaws.com\n/1.pem", "sns-signature-invalid", "no certificate of SNS" },
        { "SigningCertURL", "1.pem", "sns-signature-invalid", "no certificate of SNS" },
    };

    [Theory]
    [InlineData("1", null)]
    [InlineData("2", null)]
    [InlineData("1", "a subject")]
    [InlineData("2", "ünïcode \"quoted\"")]
    public async Task Notification_SignedBySns_IsItsMessage(string version, string? subject)
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(SnsSignatory.Json(_sns.Notification(Message, version, subject)))).ShouldBe(Settlement.Complete);

        EnvelopeWorker.StoredBy(worker).ShouldBe([$"a: {Message}"]);
        _sns.Called.ShouldBe([SnsSignatory.CertificateUrl]);
    }

    [Theory]
    [InlineData("https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-1.pem")]
    [InlineData("https://sns.us-gov-west-1.amazonaws.com/x.pem")]
    public async Task Notification_OfOtherPartitions_IsItsMessage(string certificate)
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(SnsSignatory.Json(new(_sns.Notification(Message)) { ["SigningCertURL"] = certificate }))).ShouldBe(Settlement.Complete);
        _sns.Called.ShouldBe([certificate]);
    }

    [Theory]
    [MemberData(nameof(Forged))]
    public async Task Notification_WithAMemberChanged_IsADeadLetter(string member, string value, string reason, string description)
    {
        await using TestWorker worker = await StartAsync();
        string body = SnsSignatory.Json(new(_sns.Notification(Message)) { [member] = value });

        Settlement settlement = await worker.SendAsync(body);

        settlement.Reason.ShouldBe(reason);
        settlement.Description!.ShouldContain(description);
        Encoding.UTF8.GetString(worker.DeadLetters.Messages.ShouldHaveSingleItem().Body).ShouldBe(body);
        worker.Stored.Objects.ShouldBeEmpty();
        _sns.Called.Where(url => url != SnsSignatory.CertificateUrl).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("Signature", "has no Signature in base64")]
    [InlineData("SignatureVersion", "it has no SignatureVersion")]
    [InlineData("SigningCertURL", "no certificate of SNS")]
    [InlineData("Timestamp", "it has no text Timestamp")]
    public async Task Notification_WithoutAMember_IsADeadLetter(string member, string description)
    {
        await using TestWorker worker = await StartAsync();
        Dictionary<string, string> members = _sns.Notification(Message);
        members.Remove(member);

        Settlement settlement = await worker.SendAsync(SnsSignatory.Json(members));

        settlement.Reason.ShouldBe("sns-signature-invalid");
        settlement.Description!.ShouldContain(description);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("2")]
    public void Notification_WithAnyByteOfASignedTextChanged_IsRefused(string version)
    {
        Dictionary<string, string> members = _sns.Notification("""{"MessageId":"ä"}""", version, "subject");
        string[] signed = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
        SnsSender sender = NewSender();
        Prop.ForAll(
            Gen.Elements(signed).ToArbitrary(),
            Gen.Choose(0, int.MaxValue).ToArbitrary(),
            Gen.Choose(1, 255).ToArbitrary(),
            (name, at, change) =>
            {
                byte[] text = Encoding.UTF8.GetBytes(members[name]);
                text[at % text.Length] ^= (byte)change;
                byte[] body = WithBytes(members, name, text);
                Check(sender, body).Kind.ShouldBe(SettlementKind.DeadLetter, Encoding.UTF8.GetString(body));
            }).QuickCheckThrowOnFailure();
        Check(sender, Encoding.UTF8.GetBytes(SnsSignatory.Json(members))).IsDecided.ShouldBeFalse();
    }

    [Fact]
    public void Notification_WhoseSignedBytesAreOfOtherMembers_IsRefused()
    {
        Dictionary<string, string> members = _sns.Notification("A\nMessageId\nB");
        SnsSender sender = NewSender();
        Check(sender, Encoding.UTF8.GetBytes(SnsSignatory.Json(members))).IsDecided.ShouldBeFalse();

        Settlement settlement = Check(
            sender, Encoding.UTF8.GetBytes(SnsSignatory.Json(new(members) { ["Message"] = "A", ["MessageId"] = $"B\nMessageId\n{members["MessageId"]}" })));

        settlement.Reason.ShouldBe("sns-signature-invalid");
        settlement.Description!.ShouldContain("its MessageId has a line feed");
    }

    [Theory]
    [InlineData(-3, -1)]
    [InlineData(1, 3)]
    public async Task Notification_SignedWithACertificateOutOfItsTime_IsADeadLetter(int from, int until)
    {
        using SnsSignatory other = new(TimeSpan.FromDays(from), TimeSpan.FromDays(until));
        _sns.Answer = other.Answer;
        await using TestWorker worker = await StartAsync();

        Settlement settlement = await worker.SendAsync(SnsSignatory.Json(other.Notification(Message)));

        settlement.Reason.ShouldBe("sns-signature-invalid");
        settlement.Description!.ShouldContain("its certificate is valid from");
    }

    [Fact]
    public async Task Notification_SignedWithAnotherKey_IsADeadLetter()
    {
        using RSA key = RSA.Create(2048);
        using SnsSignatory other = new(key: key);
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(SnsSignatory.Json(other.Notification(Message)))).Reason.ShouldBe("sns-signature-invalid");
    }

    [Fact]
    public async Task Certificate_ThatCannotBeHad_IsFetchedAgainAndThenKept()
    {
        await using TestWorker worker = await StartAsync();
        Func<string, HttpResponseMessage> found = _sns.Answer;
        _sns.Answer = url => _sns.Called.Count switch
        {
            1 => new HttpResponseMessage(HttpStatusCode.ServiceUnavailable),
            2 => new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent("no certificate") },
            3 => throw new HttpRequestException("refused"),
            4 => new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(_sns.Pem + new string(' ', 70_000)) },
            _ => found(url),
        };

        (await worker.SendAsync(SnsSignatory.Json(_sns.Notification(Message)))).ShouldBe(Settlement.Complete);
        (await worker.SendAsync(SnsSignatory.Json(_sns.Notification("""{"MessageId":"b"}""")))).ShouldBe(Settlement.Complete);

        _sns.Called.Count.ShouldBe(5);
        worker.DeadLetters.Messages.ShouldBeEmpty();
        EnvelopeWorker.StoredBy(worker).Count.ShouldBe(2);
    }

    [Fact]
    public async Task Subscription_ToAnAllowedTopic_IsConfirmedAndNotStored()
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(SnsSignatory.Json(_sns.Confirmation()))).ShouldBe(Settlement.Complete);

        _sns.Called.ShouldBe([SnsSignatory.CertificateUrl, SnsSignatory.SubscribeUrl]);
        worker.Log.Entries.Where(entry => entry.Id.Id == 5410).ShouldHaveSingleItem().Text.ShouldContain(SnsSignatory.Topic);
        worker.Stored.Objects.ShouldBeEmpty();
        worker.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Subscription_ToAnotherTopic_IsNotConfirmed()
    {
        await using TestWorker worker = await StartAsync();

        Settlement settlement = await worker.SendAsync(SnsSignatory.Json(_sns.Confirmation(topic: "arn:aws:sns:eu-west-1:123456789012:other")));

        settlement.Reason.ShouldBe("sns-topic-not-allowed");
        _sns.Called.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("https://example.com/?Action=ConfirmSubscription")]
    [InlineData("http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription")]
    public async Task Subscription_WithAnAddressThatIsNotOfSns_IsNotConfirmed(string url)
    {
        await using TestWorker worker = await StartAsync();

        Settlement settlement = await worker.SendAsync(SnsSignatory.Json(_sns.Confirmation(url: url)));

        settlement.Reason.ShouldBe("sns-signature-invalid");
        settlement.Description!.ShouldContain("no address of SNS");
        _sns.Called.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(HttpStatusCode.NotFound)]
    [InlineData(HttpStatusCode.Redirect)]
    public async Task Subscription_ThatSnsDoesNotAccept_IsADeadLetter(HttpStatusCode status)
    {
        await using TestWorker worker = await StartAsync();
        Func<string, HttpResponseMessage> found = _sns.Answer;
        _sns.Answer =
            url => url == SnsSignatory.SubscribeUrl ? new HttpResponseMessage(status) { Headers = { Location = new Uri("https://example.com") } } : found(url);

        Settlement settlement = await worker.SendAsync(SnsSignatory.Json(_sns.Confirmation()));

        settlement.Reason.ShouldBe("sns-subscription-not-confirmed");
        settlement.Description!.ShouldContain($"the status {(int)status}");
        _sns.Called.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Subscription_WhileSnsFails_IsTriedAgain()
    {
        await using TestWorker worker = await StartAsync();
        Func<string, HttpResponseMessage> found = _sns.Answer;
        _sns.Answer = url => _sns.Called.Count == 2 ? new HttpResponseMessage(HttpStatusCode.InternalServerError) : found(url);

        (await worker.SendAsync(SnsSignatory.Json(_sns.Confirmation()))).ShouldBe(Settlement.Complete);
        _sns.Called.ShouldBe([SnsSignatory.CertificateUrl, SnsSignatory.SubscribeUrl, SnsSignatory.SubscribeUrl]);
    }

    [Fact]
    public async Task Unsubscription_IsLoggedAndNotStored()
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(SnsSignatory.Json(_sns.Confirmation("UnsubscribeConfirmation")))).ShouldBe(Settlement.Complete);

        worker.Log.Entries.Where(entry => entry.Id.Id == 5411).ShouldHaveSingleItem().Text.ShouldContain(SnsSignatory.Topic);
        _sns.Called.ShouldBe([SnsSignatory.CertificateUrl]);
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Fact]
    public async Task Body_ThatIsNotOfSns_IsNotPassedOn()
    {
        await using TestWorker worker = await StartAsync("Unwrapping:Unrecognized=Pass");

        (await worker.SendAsync(Message)).Reason.ShouldBe("not-an-sns-envelope");
    }

    public void Dispose() => _sns.Dispose();

    private Task<TestWorker> StartAsync(params string[] settings) => EnvelopeWorker.StartAsync(
        worker => worker.AddEnvelope(new SnsFeature(() => _sns)).AddArchive(),
        "Sns",
        [$"Envelopes:Sns:Topics={SnsSignatory.Topic}, {SecondTopic}", .. settings]);

    private SnsSender NewSender()
    {
        SnsClient client = new(_sns, TimeProvider.System);
        return new SnsSender([SnsSignatory.Topic], new SnsCertificates(client, TimeProvider.System), client, "archive", NullLogger.Instance);
    }

    /// <summary>The message with the bytes of one text as they are, but for what would end it.</summary>
    private static byte[] WithBytes(Dictionary<string, string> members, string name, byte[] text)
    {
        string others = SnsSignatory.Json(new(members.Where(member => member.Key != name)));
        IEnumerable<byte> escaped = text.SelectMany(value => value switch
        {
            (byte)'"' or (byte)'\\' => [(byte)'\\', value],
            (byte)'\n' => "\\n"u8.ToArray(),
            _ => new[] { value },
        });
        return [.. Encoding.UTF8.GetBytes($"{others[..^1]},\"{name}\":\""), .. escaped, .. "\"}"u8];
    }

    private static Settlement Check(SnsSender sender, byte[] body) =>
        sender.CheckAsync(body, SnsKind.Notification, CancellationToken.None).AsTask().GetAwaiter().GetResult();
}
