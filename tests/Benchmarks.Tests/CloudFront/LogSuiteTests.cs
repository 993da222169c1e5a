using Benchmarks.CloudFront;
using Tests.Shared.CloudFront;

namespace Benchmarks.Tests.CloudFront;

/// <summary>Every variant reads the same rows, and the inputs have the documented sizes.</summary>
public sealed class LogSuiteTests
{
    [Fact]
    public Task Check_EveryVariant_ReadsTheSame() => LogCheck.RequireAsync(LogFiles.One(), LogFiles.Rows);

    [Fact]
    public async Task Check_UnexpectedRows_IsDetected() =>
        await Should.ThrowAsync<InvalidOperationException>(() => LogCheck.RequireAsync(AccessLog.CreateCompressed(10), LogFiles.Rows));

    [Fact]
    public void Limits_OnTheSameLog_ReadAllBytesAndRows()
    {
        byte[] plain = LogFiles.Plain();
        byte[] compressed = LogFiles.One();

        LogLimits.Gunzip(compressed, new byte[1_000]).ShouldBe(plain.Length);
        LogLimits.Split(plain).ShouldBe(new WorkerColumns().Read(compressed));
    }

    [Fact]
    public void Files_Generated_HaveThePublishedSize()
    {
        // The text is the same on every machine; its compressed size depends on the runtime's zlib.
        LogFiles.Plain().Length.ShouldBe(3_861_799);
        LogFiles.One().Length.ShouldBeInRange(40_000, 60_000);
        LogFiles.One(seed: 2).ShouldNotBe(LogFiles.One());
    }
}
