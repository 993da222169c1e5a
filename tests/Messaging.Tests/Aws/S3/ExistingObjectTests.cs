using System.Globalization;
using System.Text;
using Amazon.Runtime;
using Messaging.Tests.Aws.S3.Direct;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Sdk;

namespace Messaging.Tests.Aws.S3;

/// <summary>The comparison of an existing object, by both clients: only an object with exactly the message's bytes counts as stored.</summary>
public sealed class ExistingObjectTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    // Larger than what is compared at a time.
    private static readonly string Large = string.Create(CultureInfo.InvariantCulture, $"{{\"text\":\"{new string('x', 70_000)}\"}}");

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string, string, string> Answers
    {
        get
        {
            TheoryData<string, string, string> all = [];
            foreach (string client in (string[])["Sdk", "Direct"])
            {
                // "lying": HEAD reports the message's length, whatever GET then sends.
                foreach (string head in (string[])["honest", "lying"])
                {
                    foreach (string get in (string[])["length", "chunked", "chunk per byte", "no length", "cut", "chunked and cut"])
                    {
                        all.Add(client, head, get);
                    }
                }
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Answers))]
    public async Task Compare_EveryTruncationAndExtension_IsNeverTheSame(string client, string head, string get)
    {
        string stored = string.Empty;
        string body = string.Empty;
        await using RawServer server = new(request => new RawReply(
            request.Method == "HEAD"
                ? $"HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"of-kms\"\r\nContent-Length: {(head == "honest" ? stored : body).Length}\r\n\r\n"
                : AnswerOf(get, stored, body.Length),
            Close: true));
        using IS3Requests requests = Open(client, server);
        foreach (string message in (string[])["", "a", "{\"a\":1}", get == "chunk per byte" ? "{}" : Large])
        {
            foreach (string found in VariantsOf(message))
            {
                (body, stored) = (message, found);

                (S3Fault fault, _, bool same) = await requests.CompareAsync("k"u8.ToArray(), Encoding.Latin1.GetBytes(message), Limit, Token);

                string what = $"{message.Length} bytes against {found.Length}: {fault}";
                bool isCut = get.EndsWith("cut", StringComparison.Ordinal);
                if (message == found && !isCut)
                {
                    // Without a length, the direct client cannot know that the answer is whole.
                    same.ShouldBe(get != "no length" || client == "Sdk", what);
                    continue;
                }

                same.ShouldBeFalse(what);
                bool differs = (head == "honest" && found.Length != message.Length)
                    || (found.Length == message.Length && message != found && get is not "no length" && !isCut);
                if (differs)
                {
                    fault.Kind.ShouldBe(AwsErrorKind.None, what);
                }
                else if (head == "lying" && found.Length != message.Length && message.StartsWith(found, StringComparison.Ordinal))
                {
                    fault.Kind.ShouldBe(AwsErrorKind.Transient, $"A truncated answer proves no collision. {what}");
                }
            }
        }
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Compare_ETagIsTheMd5_TheLengthMustBeTheSameToo(string client)
    {
        byte[] body = "{\"a\":1}"u8.ToArray();
        string etag = Convert.ToHexStringLower(System.Security.Cryptography.MD5.HashData(body));
        int length = 0;
        await using RawServer server =
            new(_ => new RawReply($"HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"{etag}\"\r\nContent-Length: {length}\r\n\r\n", Close: true));
        using IS3Requests requests = Open(client, server);
        foreach (int found in (int[])[0, body.Length - 1, body.Length, body.Length + 1])
        {
            length = found;

            (S3Fault fault, string operation, bool same) = await requests.CompareAsync("k"u8.ToArray(), body, Limit, Token);

            (fault.Kind, operation, same).ShouldBe((AwsErrorKind.None, S3Operations.Head, found == body.Length));
        }
    }

    /// <summary>Every truncation and a few extensions and changes; of a large text those around the size of a chunk.</summary>
    private static IEnumerable<string> VariantsOf(string text)
    {
        IEnumerable<int> lengths = text.Length < 100 ? Enumerable.Range(0, text.Length) : [0, 1, 65_535, 65_536, 65_537, text.Length - 1];
        return [
            .. lengths.Select(length => text[..length]), text, text + "}", text + text + "x",
            .. text.Length == 0 ? (string[])[] : [$"{text[..^1]}X", $"X{text[1..]}"]];
    }

    private static string AnswerOf(string get, string stored, int length)
    {
        const string Head = "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"of-kms\"\r\n";
        return get switch
        {
            "length" => $"{Head}Content-Length: {stored.Length}\r\n\r\n{stored}",
            "chunked" => $"{Head}Transfer-Encoding: chunked\r\n\r\n{Chunk(stored)}0\r\n\r\n",
            "chunk per byte" => $"{Head}Transfer-Encoding: chunked\r\n\r\n{string.Concat(stored.Select(c => Chunk($"{c}")))}0\r\n\r\n",
            "no length" => $"{Head}\r\n{stored}",
            "cut" => $"{Head}Content-Length: {Math.Max(length, stored.Length) + 1}\r\n\r\n{stored}",
            _ => $"{Head}Transfer-Encoding: chunked\r\n\r\n{Chunk(stored)}",
        };
    }

    private static string Chunk(string text) => text.Length == 0 ? string.Empty : $"{text.Length:x}\r\n{text}\r\n";

    private static IS3Requests Open(string client, RawServer server)
    {
        AwsCredentialSource credentials = new(() => Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKIDTEST", "secret")), TimeProvider.System);
        return client == "Sdk"
            ? SdkRequests.Create(DirectSinks.Options, new S3Endpoint(server.Url, "eu-west-1", PathStyle: true), credentials, DirectSinks.Services())
            : DirectSinks.Requests(server.Url, credentials: credentials);
    }
}
