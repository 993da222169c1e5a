using Quayside.Messaging.Sources.Channels;

namespace Messaging.Tests.Sources.Channels;

public sealed class MessageIdsTests
{
    private static readonly DateTimeOffset Now = new(2026, 7, 14, 9, 30, 0, 123, TimeSpan.Zero);

    [Fact]
    public void Create_IsAVersion7UuidOfTheTime()
    {
        Guid id = MessageIds.Create(Now);

        (id.Version, id.Variant & 0xC).ShouldBe((7, 8));
        id.ToString("N")[..12].ShouldBe(Now.ToUnixTimeMilliseconds().ToString("x12", System.Globalization.CultureInfo.InvariantCulture));
    }

    [Fact]
    public void Create_MoreThanShareTheirRandomBits_AllDiffer()
    {
        Guid[] ids = [.. Enumerable.Range(0, 10_000).Select(_ => MessageIds.Create(Now))];

        ids.Distinct().Count().ShouldBe(10_000);
        // Three draws of 62 bits at least.
        ids.Select(id => id.ToString("N")[..^3]).Distinct().Count().ShouldBeInRange(3, 4);
    }

    [Fact]
    public async Task Create_ManyInOneMillisecondOnSeveralThreads_AllDiffer()
    {
        Guid[][] ids =
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(() => Enumerable.Range(0, 20_000).Select(_ => MessageIds.Create(Now)).ToArray())));

        ids.SelectMany(of => of).Distinct().Count().ShouldBe(160_000);
    }
}
