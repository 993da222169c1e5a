using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;

namespace Integration.Tests.Faults.S3;

/// <summary>What a PUT may claim about its body, in hand-written requests: correct claims are accepted, wrong ones never commit.</summary>
public sealed class FaultyS3VerificationTests : IAsyncLifetime
{
    private const string Body = "hello";
    private const string Sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    private const string OtherSha256 = "3cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    private const string Crc32 = "NhCmhg==";
    private const string Unsigned = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

    private readonly HttpClient _http = new();
    private FaultyS3 _s3 = null!;

    public async ValueTask InitializeAsync() => _s3 = await FaultyS3.StartAsync();

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _s3.DisposeAsync();
    }

    [Fact]
    public void Constants_AreTheBodysOwn()
    {
        Convert.ToHexStringLower(SHA256.HashData("hello"u8)).ShouldBe(Sha256);
        Convert.ToBase64String(CyclicCheck.Crc32.Hash("hello"u8)).ShouldBe(Crc32);
    }

    [Theory]
    [InlineData("")]
    [InlineData("x-amz-content-sha256: " + Sha256)]
    [InlineData("x-amz-content-sha256: UNSIGNED-PAYLOAD")]
    [InlineData("Content-MD5: XUFAKrxLKna5cZ2REBfFkg==")]
    [InlineData("x-amz-checksum-crc32: " + Crc32)]
    [InlineData("x-amz-checksum-crc32c: mnG7TA==")]
    [InlineData("x-amz-checksum-crc64nvme: M3eFcAZSQlc=")]
    [InlineData("x-amz-checksum-sha1: qvTGHdzF6KLavt4PO0gs2a6pQ00=")]
    [InlineData("x-amz-checksum-sha256: LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")]
    public async Task PutObject_RightClaim_Commits(string header)
    {
        (await PutAsync(Body, header)).ShouldBe("200");

        _s3.Objects.Find("archive", "k")!.Body.ShouldBe("hello"u8.ToArray());
        _s3.History.Of().Single().Sha256.ShouldBe(Sha256);
    }

    [Theory]
    [InlineData("400 XAmzContentSHA256Mismatch", "x-amz-content-sha256: " + OtherSha256)]
    [InlineData("400 BadDigest", "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==")]
    [InlineData("400 InvalidDigest", "Content-MD5: no digest")]
    [InlineData("400 InvalidDigest", "Content-MD5: AAAA")]
    [InlineData("400 BadDigest", "x-amz-checksum-crc32: AAAAAA==")]
    [InlineData("400 BadDigest", "x-amz-checksum-crc32c: " + Crc32)]
    [InlineData("400 BadDigest", "x-amz-checksum-crc64nvme: AAAAAAAAAAA=")]
    [InlineData("400 BadDigest", "x-amz-checksum-sha1: AAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    [InlineData("400 BadDigest", "x-amz-checksum-sha256: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    [InlineData("400 InvalidRequest", "x-amz-checksum-crc32: AAAA")]
    [InlineData("400 InvalidRequest", "x-amz-checksum-unheard-of: AAAA")]
    [InlineData("400 InvalidRequest", "x-amz-checksum-crc32: " + Crc32, "x-amz-checksum-crc32c: mnG7TA==")]
    [InlineData("400 InvalidRequest", "x-amz-sdk-checksum-algorithm: CRC32")]
    [InlineData("400 InvalidRequest", "Content-Encoding: aws-chunked", "x-amz-content-sha256: UNSIGNED-PAYLOAD")]
    [InlineData("501 NotImplemented", "If-None-Match: \"etag\"")]
    [InlineData("412 PreconditionFailed", "If-Match: \"etag\"")]
    [InlineData("403 RequestTimeTooSkewed", "x-amz-date: 20200101T000000Z")]
    public async Task PutObject_WrongClaim_IsRefusedAndNotCommitted(string expected, params string[] headers)
    {
        (await PutAsync(Body, headers)).ShouldBe(expected);

        _s3.Objects.Snapshot("archive").ShouldBeEmpty();
        _s3.History.Of().Single().Committed.ShouldBeFalse();
    }

    [Theory]
    [InlineData("200", "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:" + Crc32 + "\r\n\r\n", "5")]
    [InlineData("400 BadDigest", "5\r\nhellO\r\n0\r\nx-amz-checksum-crc32:" + Crc32 + "\r\n\r\n", "5")]
    [InlineData("400 MalformedTrailerError", "5\r\nhello\r\n0\r\n\r\n", "5")]
    [InlineData("400 IncompleteBody", "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:" + Crc32 + "\r\n\r\n", "6")]
    [InlineData("400 IncompleteBody", "5\r\nhello\r\n", "5")]
    [InlineData("400 InvalidRequest", "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:" + Crc32 + "\r\n\r\n", "")]
    public async Task PutObject_ChunkedWithTrailer_IsDecodedAndVerified(string expected, string encoded, string decodedLength)
    {
        string answer = await PutAsync(
            encoded, "Content-Encoding: aws-chunked", $"x-amz-content-sha256: {Unsigned}", "x-amz-trailer: x-amz-checksum-crc32", $"x-amz-decoded-content-length: {decodedLength}");

        answer.ShouldBe(expected);
        _s3.Objects.Snapshot("archive").Count.ShouldBe(expected == "200" ? 1 : 0);
    }

    [Fact]
    public async Task PutObject_WithoutContentLength_Is411()
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri(_s3.Endpoint.ServiceUrl, "/archive/k")) { Content = new StringContent(Body) };
        request.Headers.TransferEncodingChunked = true;

        using HttpResponseMessage response = await _http.SendAsync(request);

        response.StatusCode.ShouldBe(HttpStatusCode.LengthRequired);
        _s3.Objects.Snapshot("archive").ShouldBeEmpty();
    }

    [Fact]
    public async Task PutObject_BodyShorterThanAnnounced_IsNotCommitted()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, _s3.Endpoint.ServiceUrl.Port);
        await client.GetStream().WriteAsync("PUT /archive/k HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel"u8.ToArray());
        client.Close();

        S3Exchange exchange = await _s3.History.WaitForAsync(exchange => exchange.Operation == S3Operation.PutObject);

        (exchange.Outcome, exchange.Committed, exchange.Number).ShouldBe((S3Outcome.ClientLeft, false, 0));
        _s3.Objects.Snapshot("archive").ShouldBeEmpty();
    }

    [Fact]
    public async Task PutObject_KeyWithDotSegments_ArrivesAsSent()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, _s3.Endpoint.ServiceUrl.Port);
        await client.GetStream().WriteAsync("PUT /archive/a/../b/./%2e%2e/c%2Fd+e%20f HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
        using var reader = new StreamReader(client.GetStream());
        (await reader.ReadToEndAsync()).ShouldStartWith("HTTP/1.1 200 OK");

        _s3.Objects.Snapshot("archive").Keys.ShouldBe(["a/../b/./../c/d+e f"]);
    }

    [Fact]
    public async Task PutObject_KeyOf1025Bytes_IsRefused()
    {
        string key = new string('é', 512) + "k";

        (await PutKeyAsync(key[..512], Body)).ShouldBe("200");
        (await PutKeyAsync(key, Body)).ShouldBe("400 KeyTooLongError");
    }

    private Task<string> PutAsync(string body, params string[] headers) => PutKeyAsync("k", body, headers);

    private async Task<string> PutKeyAsync(string key, string body, params string[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri(_s3.Endpoint.ServiceUrl, $"/archive/{key}")) { Content = new ByteArrayContent(Encoding.ASCII.GetBytes(body)) };
        foreach (string header in headers.Where(header => header.Length > 0))
        {
            string[] parts = header.Split(": ", 2);
            HttpHeaders target = parts[0].StartsWith("Content-", StringComparison.Ordinal) ? request.Content.Headers : request.Headers;
            target.TryAddWithoutValidation(parts[0], parts[1]).ShouldBeTrue();
        }

        using HttpResponseMessage response = await _http.SendAsync(request);
        string text = await response.Content.ReadAsStringAsync();
        int start = text.IndexOf("<Code>", StringComparison.Ordinal);
        return start < 0 ? $"{(int)response.StatusCode}" : $"{(int)response.StatusCode} {text[(start + 6)..text.IndexOf("</Code>", StringComparison.Ordinal)]}";
    }
}
