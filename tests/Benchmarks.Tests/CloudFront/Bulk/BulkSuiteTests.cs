using System.Security.Cryptography;
using Benchmarks.CloudFront.Bulk;

namespace Benchmarks.Tests.CloudFront.Bulk;

/// <summary>Every variant finds the same failed ids, and the inputs have the same bytes on every machine.</summary>
public sealed class BulkSuiteTests
{
    [Theory]
    [InlineData("Success")]
    [InlineData("Failure")]
    public void Setup_BulkResponse_FindsEveryVariantEqual(string response) => new BulkResponseBenchmarks { Response = response }.Setup();

    [Fact]
    public void Setup_DocumentWriting_FindsBothEqual() => new DocumentWritingBenchmarks().Setup();

    [Fact]
    public Task Setup_BulkTransport_EveryVariantCreatesEveryDocument() => new BulkTransportBenchmarks().Setup();

    [Theory]
    [InlineData(false, false, "6b986ca0576197b4")]
    [InlineData(true, false, "a89ba45f9cb6e7fa")]
    [InlineData(false, true, "36dac9a5107b104c")]
    [InlineData(true, true, "90eb61797250c449")]
    public void Create_Input_GivesTheSameBytesOnEveryMachine(bool failure, bool filtered, string hash)
    {
        byte[] bytes = BulkInput.Create(failure, filtered);

        bytes.Length.ShouldBeInRange(filtered ? 6_000 : 23_000, filtered ? 10_000 : 27_000);
        Convert.ToHexStringLower(SHA256.HashData(bytes))[..16].ShouldBe(hash);
    }
}
