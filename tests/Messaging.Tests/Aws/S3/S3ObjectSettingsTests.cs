using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Messaging.Tests.Aws.S3.Direct;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Aws.S3.Sink.Sdk;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Aws.S3;

/// <summary>Both clients send the same headers for the settings of objects, and sign them.</summary>
public sealed class S3ObjectSettingsTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    // What differs between the clients: the SDK names itself, and its checksum is CRC32.
    private static readonly string[] Own = [
        "authorization", "user-agent", "amz-sdk-invocation-id", "amz-sdk-request", "x-amz-checksum-crc32", "x-amz-checksum-sha256",
        "x-amz-sdk-checksum-algorithm", "x-amz-date"];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Put_EverySetting_IsSentAlikeByBothClients()
    {
        S3SinkOptions options = new()
        {
            Bucket = "archive",
            ServerSideEncryption = "aws:kms",
            KmsKeyId = "my-key",
            StorageClass = "STANDARD_IA",
            ContentType = "application/x-ndjson",
            Acl = "bucket-owner-full-control",
            ContentEncoding = "gzip",
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_SUPPORTED,
            ExpectedBucketOwner = "123456789012",
            Metadata = new Dictionary<string, string> { ["Team"] = "billing", ["city"] = "Zürich" },
            Tags = new Dictionary<string, string> { ["cost centre"] = "a+b = c/d", ["größe"] = "x" },
        };

        (RawRequest sdk, RawRequest direct) = await PutAsync(options, "{}"u8.ToArray());

        Dictionary<string, string> sent = Common(direct);
        Common(sdk).ShouldBe(sent, ignoreOrder: true);
        sent["x-amz-acl"].ShouldBe("bucket-owner-full-control");
        sent["content-encoding"].ShouldBe("gzip");
        sent["x-amz-expected-bucket-owner"].ShouldBe("123456789012");
        sent["x-amz-meta-team"].ShouldBe("billing");
        sent["x-amz-meta-city"].ShouldBe("=?UTF-8?B?WsO8cmljaA==?=");
        sent["x-amz-tagging"].ShouldBe("cost%20centre=a%2Bb%20%3D%20c%2Fd&gr%C3%B6%C3%9Fe=x");
        direct.Headers.ShouldContainKey("x-amz-checksum-sha256");
        sdk.Headers.ShouldContainKey("x-amz-checksum-crc32");
    }

    [Fact]
    public async Task Put_NoSettings_HasNoSuchHeaders()
    {
        (RawRequest sdk, RawRequest direct) = await PutAsync(new S3SinkOptions { Bucket = "archive" }, "{}"u8.ToArray());

        string[] expected = ["content-length", "content-type", "host", "if-none-match", "x-amz-content-sha256"];
        Common(direct).Keys.Order(StringComparer.Ordinal).ShouldBe(expected);
        Common(sdk).Keys.Order(StringComparer.Ordinal).ShouldBe(expected);
    }

    [Fact]
    public async Task Put_RandomPropertiesOfAMessage_ReplaceTheConfiguredAndAreSignedAsTheyAreSent()
    {
        Random random = new(4717);
        S3SinkOptions options = new()
        { Bucket = "archive", Metadata = new Dictionary<string, string> { ["fixed"] = "a" }, Tags = new Dictionary<string, string> { ["fixed"] = "b" } };
        for (int i = 0; i < 40; i++)
        {
            S3ObjectProperties fitting = new(options, "orders", NullLogger.Instance, TimeProvider.System);
            ObjectProperties properties = fitting.Fit(new ObjectProperties
            {
                Metadata = [.. RandomProperties(random, "abCD-_.0", "ab  \"=,;/\t\u00fc\u6f22\ud83d\ude00")],
                Tags = [.. RandomProperties(random, "ab +-=._:/@", "ab +-=._:/@\u00fc\u6f22;\ud83d\ude00")],
            });

            (RawRequest sdk, RawRequest direct) = await PutAsync(options, [.. Enumerable.Repeat((byte)i, i)], properties);

            Common(sdk).ShouldBe(Common(direct), ignoreOrder: true, $"case {i}");
            direct.Headers.Keys.Count(name => name.StartsWith("x-amz-meta-", StringComparison.Ordinal)).ShouldBe(properties.Metadata.Count);
            direct.Headers["x-amz-tagging"].Split('&').Length.ShouldBe(properties.Tags.Count);
            IsSigned(sdk, $"case {i}, SDK");
            IsSigned(direct, $"case {i}, direct");
        }
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_AfterOneWithPropertiesOfItsOwn_HasNoneOfThem(string client)
    {
        await using RawServer server = new(_ => RawServer.Stored);
        using IS3Requests requests =
            Clients(server, new S3SinkOptions { Bucket = "archive" }, TimeProvider.System).Last(one => (one is SdkRequests) == (client == "Sdk"));
        ObjectProperties properties = new() { Metadata = [new("a", "b")], Tags = [new("c", "d")] };

        foreach (ObjectProperties? given in (ObjectProperties?[])[null, properties, null])
        {
            (await requests.PutAsync("k"u8.ToArray(), "{}"u8.ToArray(), given, Limit, Token)).Kind.ShouldBe(AwsErrorKind.None);
        }

        server.Requests
            .Select(request => (request.Headers.ContainsKey("x-amz-meta-a"), request.Headers.ContainsKey("x-amz-tagging")))
            .ShouldBe([(false, false), (true, true), (false, false)]);
    }

    [Fact]
    public async Task CompareAndList_BucketOwner_IsSentByBothClients()
    {
        S3SinkOptions options = new() { Bucket = "archive", ExpectedBucketOwner = "123456789012" };
        await using RawServer server = new(
            request => request.Method == "HEAD"
                ? "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 2\r\n\r\n"
                : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        foreach (IS3Requests client in Clients(server, options, TimeProvider.System))
        {
            using (client)
            {
                await client.CompareAsync("k"u8.ToArray(), "{}"u8.ToArray(), Limit, Token);
                await client.ListAsync(Limit, Token);
            }
        }

        server.Requests.Select(request => request.Method).ShouldBe(["HEAD", "GET", "GET", "HEAD", "GET", "GET"]);
        foreach (RawRequest request in server.Requests)
        {
            request.Headers["x-amz-expected-bucket-owner"].ShouldBe("123456789012");
            SignedNames(request).ShouldContain("x-amz-expected-bucket-owner");
        }
    }

    private static async Task<(RawRequest Sdk, RawRequest Direct)> PutAsync(S3SinkOptions options, byte[] body, ObjectProperties? properties = null)
    {
        await using RawServer server = new(_ => RawServer.Stored);
        foreach (IS3Requests client in Clients(
            server, options, new ManualTimeProvider(new DateTimeOffset(2026, 1, 31, 10, 0, 0, TimeSpan.Zero).AddMilliseconds(1))))
        {
            using (client)
            {
                (await client.PutAsync("k"u8.ToArray(), body, properties, Limit, Token)).Kind.ShouldBe(AwsErrorKind.None);
            }
        }

        server.Requests.Length.ShouldBe(2);
        return (server.Requests[0], server.Requests[1]);
    }

    private static IEnumerable<IS3Requests> Clients(RawServer server, S3SinkOptions options, TimeProvider time)
    {
        yield return SdkRequests.Create(
            options, new S3Endpoint(server.Url, "eu-west-1", PathStyle: true), DirectSinks.Credentials(), DirectSinks.Services(time));
        yield return DirectSinks.Requests(server.Url, options, time: time);
    }

    private static Dictionary<string, string> Common(RawRequest request) => request.Headers
        .Where(header => !Own.Contains(header.Key, StringComparer.OrdinalIgnoreCase))
        .ToDictionary(header => header.Key.ToLowerInvariant(), header => header.Value, StringComparer.Ordinal);

    private static string[] SignedNames(RawRequest request) => request.Headers["Authorization"].Split("SignedHeaders=")[1].Split(',')[0].Split(';');

    private static void IsSigned(RawRequest request, string message)
    {
        string[] names = SignedNames(request);
        names.Where(name => name.StartsWith("x-amz-", StringComparison.Ordinal)).ShouldBe(
            request.Headers.Keys
                .Select(name => name.ToLowerInvariant())
                .Where(name => name.StartsWith("x-amz-", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal), message);
        string hash = Convert.ToHexStringLower(SHA256.HashData(request.Body));
        request.Headers["x-amz-content-sha256"].ShouldBe(hash, message);
        request.Headers["Authorization"].ShouldBe(
            ReadableSignature.Authorization(
                "s3", "eu-west-1", "PUT", request.Target, "", names.Select(name => (name, request.Headers[name])), request.Body, request.Headers["x-amz-date"],
                new SigningCredentials("AKIDTEST", "secret", null)),
            message);
    }

    private static Dictionary<string, string> RandomProperties(Random random, string names, string values)
    {
        Dictionary<string, string> properties = new(StringComparer.OrdinalIgnoreCase);
        for (int i = random.Next(6); i > 0; i--)
        {
            properties[$"n{RandomText(random, names)}{i}"] = $"v{RandomText(random, values)}";
        }

        return properties;
    }

    private static string RandomText(Random random, string alphabet)
    {
        Rune[] runes = [.. alphabet.EnumerateRunes()];
        return string.Concat(Enumerable.Range(0, random.Next(60)).Select(_ => runes[random.Next(runes.Length)].ToString()));
    }
}
