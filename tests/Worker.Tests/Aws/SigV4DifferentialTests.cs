using System.Security.Cryptography;
using System.Text;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.Runtime.Internal.Auth;
using Amazon.Runtime.Signing;
using Amazon.S3;
using Amazon.S3.Model;
using Messaging.Aws;
using Pipeline.Buffers;

namespace Worker.Tests.Aws;

/// <summary>AWSSDK.Core signs the same random requests; a failing case is found again by its number.</summary>
public sealed class SigV4DifferentialTests : IDisposable
{
    private const int Cases = 200;
    private const string Alphabet = "abcXYZ019-._~ !\"#$%&'()*+,;:=<>?@[]^`{|}éß€漢😀";
    private static readonly DateTimeOffset Now = new(2026, 2, 28, 23, 59, 59, TimeSpan.Zero);

    private readonly BufferPool _buffers = new();

    public void Dispose() => _buffers.Outstanding.ShouldBe(0);

    [Theory]
    [InlineData("sqs", 4711)]
    [InlineData("s3", 4712)]
    public void AppendAuthorization_RandomRequests_AgreesWithAws4Signer(string service, int seed)
    {
        Random random = new(seed);
        AWS4Signer theirs = new();
        SigV4Signer ours = new(service, "eu-west-1", new AwsClock(TimeProvider.System), _buffers);
        using PooledBuffer output = _buffers.Rent();

        for (int i = 0; i < Cases; i++)
        {
            string path = string.Join('/', Enumerable.Range(0, random.Next(1, 4)).Select(_ => RandomText(random, 12)));
            DefaultRequest request = RandomSdkRequest(random, service, path);
            string secret = RandomText(random, 40, "ABCxyz019/+");
            AWS4SigningResult expected = theirs.SignRequest(request, Config(), metrics: null, "AKIDRANDOM", secret, Now.UtcDateTime);
            string hash = request.Headers["X-Amz-Content-SHA256"];

            output.Truncate(0);
            ours.AppendAuthorization(
                output,
                new SigV4Request
                {
                    Method = request.HttpMethod,
                    Path = $"/{Encode(path, keepSlash: true)}",
                    Query = string.Join('&', request.Parameters.Reverse().Select(p => $"{Encode(p.Key, keepSlash: false)}={Encode(p.Value, keepSlash: false)}")),
                    Headers = request.Headers.Select(h => new SigV4Header(h.Key, h.Value)).ToArray(),
                    PayloadHash = Encoding.ASCII.GetBytes(hash),
                },
                new SigningCredentials("AKIDRANDOM", secret, sessionToken: null),
                Now);

            Encoding.ASCII.GetString(output.WrittenSpan).ShouldBe(expected.ForAuthorizationHeader, $"case {i}: {request.HttpMethod} /{path}");
        }
    }

    [Theory]
    [InlineData("sqs", 4713)]
    [InlineData("s3", 4714)]
    public void Sign_RandomRequests_AgreesWithAwsSigV4Signer(string service, int seed)
    {
        Random random = new(seed);
        SigV4Signer ours = new(service, "eu-west-1", new AwsClock(new ManualTimeProvider(Now)), _buffers);

        for (int i = 0; i < Cases; i++)
        {
            byte[] body = new byte[random.Next(64)];
            random.NextBytes(body);
            string path = string.Join('/', Enumerable.Range(0, random.Next(1, 4)).Select(_ => Encode(RandomText(random, 12), keepSlash: false)));
            string query = string.Join('&', Enumerable.Range(0, random.Next(4)).Select(n => $"k{n}{Encode(RandomText(random, 5), keepSlash: false)}={Encode(RandomText(random, 8), keepSlash: false)}"));
            query = random.Next(2) == 0 ? query : query.Replace("%20", "+", StringComparison.Ordinal);
            Uri uri = new($"https://host-{i}.example.com{(random.Next(2) == 0 ? string.Empty : ":8443")}/{path}{(query.Length == 0 ? string.Empty : "?")}{query}");
            HttpMethod method = random.Next(3) switch { 0 => HttpMethod.Get, 1 => HttpMethod.Put, _ => HttpMethod.Post };
            string? token = random.Next(2) == 0 ? null : RandomText(random, 100, "abcXYZ/+=");
            (string Name, string Value)[] headers = RandomHeaders(random);

            AWSSigningRequest described = new() { HttpMethod = method, RequestUri = uri, Content = body };
            using HttpRequestMessage request = new(method, uri);
            foreach ((string name, string value) in headers)
            {
                described.Headers[name] = value;
                request.Headers.TryAddWithoutValidation(name, value).ShouldBeTrue();
            }

            // The SDK signs this header for every service; we send it to S3 only.
            request.Headers.TryAddWithoutValidation("X-Amz-Content-Sha256", Convert.ToHexStringLower(SHA256.HashData(body)));
            AWSSigningResult expected = AWSSigV4Signer.Sign(described, new AWSSigV4Parameters
            {
                Credentials = token is null ? new BasicAWSCredentials("AKID", "secret") : new SessionAWSCredentials("AKID", "secret", token),
                Region = RegionEndpoint.EUWest1,
                Service = service,
                SignedAt = Now.UtcDateTime,
            });

            DateTimeOffset at = ours.Sign(request, body, new SigningCredentials("AKID", "secret", token));

            at.ShouldBe(Now);
            request.Headers.NonValidated["Authorization"].ToString().ShouldBe(expected.Headers["Authorization"], $"case {i}: {method} {uri}");
        }
    }

    private static AmazonS3Config Config() => new() { AuthenticationRegion = "eu-west-1", ServiceURL = "https://service.example.com" };

    private static DefaultRequest RandomSdkRequest(Random random, string service, string path)
    {
        DefaultRequest request = new(new PutObjectRequest(), service)
        {
            Endpoint = new Uri(random.Next(2) == 0 ? "https://service.example.com" : "http://127.0.0.1:4566"),
            HttpMethod = random.Next(3) switch { 0 => "GET", 1 => "PUT", _ => "POST" },
            ResourcePath = "/{Key+}",
            UseQueryString = true,
            OverrideSigningServiceName = service,
            AuthenticationRegion = "eu-west-1",
            UseDoubleEncoding = service != "s3",
            Content = Encoding.UTF8.GetBytes(RandomText(random, 50)),
        };
        request.AddPathResource("{Key+}", path);
        foreach ((string name, string value) in RandomHeaders(random))
        {
            request.Headers[name] = value;
        }

        for (int i = random.Next(4); i > 0; i--)
        {
            request.Parameters[$"k{i}{RandomText(random, 6)}"] = RandomText(random, 10);
        }

        return request;
    }

    private static (string Name, string Value)[] RandomHeaders(Random random) =>
        [.. Enumerable.Range(0, random.Next(5)).Select(n => ($"{(random.Next(2) == 0 ? "x-amz-" : "My_Header-")}{n}", $"v{RandomText(random, 20, "ab  \"=,;/")}w"))];

    private static string RandomText(Random random, int most, string alphabet = Alphabet)
    {
        StringBuilder text = new("a");
        Rune[] runes = [.. alphabet.EnumerateRunes()];
        for (int i = random.Next(most); i > 0; i--)
        {
            text.Append(runes[random.Next(runes.Length)]);
        }

        return text.ToString();
    }

    private static string Encode(string text, bool keepSlash) =>
        keepSlash ? string.Join('/', text.Split('/').Select(Uri.EscapeDataString)) : Uri.EscapeDataString(text);
}
