using System.Text;
using Messaging.Aws;
using Messaging.Aws.S3.Sink.Direct;
using Pipeline.Buffers;

namespace Worker.Tests.Aws.S3.Direct;

/// <summary>The canonical request from prepared parts equals the one from the headers themselves.</summary>
public sealed class PutCanonicalRequestTests
{
    private const string Hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    private static readonly SigV4Header[] Settings =
    [
        new("Content-Type", "application/json;  charset=utf-8 "),
        new("host", "bucket.s3.eu-west-1.amazonaws.com"),
        new("If-None-Match", "*"),
        new("x-amz-server-side-encryption", "aws:kms"),
        new("x-amz-server-side-encryption-aws-kms-key-id", "arn:aws:kms:eu-west-1:123456789012:key/1"),
        new("x-amz-storage-class", "STANDARD_IA"),
    ];

    [Fact]
    public void Write_EveryCombination_IsTheCanonicalRequestOfItsHeaders()
    {
        int combinations = 0;
        for (int chosen = 0; chosen < 1 << Settings.Length; chosen++)
        {
            SigV4Header[] constant = [.. Settings.Where((_, i) => (chosen & (1 << i)) != 0)];
            foreach (string? checksum in (string?[])[null, "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="])
            {
                foreach (string? token in (string?[])[null, "a/token+with=signs"])
                {
                    Check(constant, checksum, token);
                    combinations++;
                }
            }
        }

        combinations.ShouldBe(256);
    }

    private static void Check(SigV4Header[] constant, string? checksum, string? token)
    {
        const string path = "/product/a%20b//id.json";
        const string date = "20260131T100000Z";
        List<(string, string)> all = [.. constant.Select(header => (header.Name, header.Value)), ("x-amz-content-sha256", Hash), ("x-amz-date", date)];
        if (checksum is not null)
        {
            all.Add(("x-amz-checksum-sha256", checksum));
        }

        if (token is not null)
        {
            all.Add(("x-amz-security-token", token));
        }

        PutCanonicalRequest prepared = new(constant, checksum is not null);
        using PooledBuffer written = new BufferPool().Rent();
        prepared.Write(written, path, Encoding.ASCII.GetBytes(Hash), date, checksum ?? string.Empty, token);

        Encoding.UTF8.GetString(written.WrittenSpan).ShouldBe(ReadableSignature.Canonical("PUT", path, "", all, Hash, out string names));
        Encoding.UTF8.GetString(prepared.SignedNames(token is not null)).ShouldBe(names);
    }
}
