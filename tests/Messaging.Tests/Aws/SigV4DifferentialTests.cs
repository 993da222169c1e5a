using System.Security.Cryptography;
using System.Text;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Signing;
using Quayside.Messaging.Aws;

namespace Messaging.Tests.Aws;

/// <summary>AWSSDK.Core signs the same random requests; the number of a failing case reproduces it.</summary>
public sealed class SigV4DifferentialTests
{
    private const int Cases = 200;
    private static readonly DateTimeOffset Now = new(2026, 2, 28, 23, 59, 59, TimeSpan.Zero);

    [Fact]
    public void Sign_RandomRequests_AgreesWithAwsSigV4Signer()
    {
        Random random = new(4713);
        SigV4Signer ours = new("sqs", "eu-west-1", new AwsClock(new ManualTimeProvider(Now)));

        for (int i = 0; i < Cases; i++)
        {
            byte[] body = new byte[random.Next(64)];
            random.NextBytes(body);
            Uri uri = new($"https://host-{i}.example.com{(random.Next(2) == 0 ? string.Empty : ":8443")}/");
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

            // The SDK signs this header for every service; the worker sends it only to S3.
            request.Headers.TryAddWithoutValidation("X-Amz-Content-Sha256", Convert.ToHexStringLower(SHA256.HashData(body)));
            AWSSigningResult expected = AWSSigV4Signer.Sign(described, new AWSSigV4Parameters
            {
                Credentials = token is null ? new BasicAWSCredentials("AKID", "secret") : new SessionAWSCredentials("AKID", "secret", token),
                Region = RegionEndpoint.EUWest1,
                Service = "sqs",
                SignedAt = Now.UtcDateTime,
            });

            DateTimeOffset at = ours.Sign(request, body, new SigningCredentials("AKID", "secret", token));

            at.ShouldBe(Now);
            request.Headers.NonValidated["Authorization"].ToString().ShouldBe(expected.Headers["Authorization"], $"case {i}: {method} {uri}");
        }
    }

    private static (string Name, string Value)[] RandomHeaders(Random random) =>
        [.. Enumerable
            .Range(0, random.Next(5))
            .Select(n => ($"{(random.Next(2) == 0 ? "x-amz-" : "My_Header-")}{n}", $"v{RandomText(random, 20, "ab  \"=,;/")}w"))];

    private static string RandomText(Random random, int most, string alphabet)
    {
        StringBuilder text = new("a");
        Rune[] runes = [.. alphabet.EnumerateRunes()];
        for (int i = random.Next(most); i > 0; i--)
        {
            text.Append(runes[random.Next(runes.Length)]);
        }

        return text.ToString();
    }
}
