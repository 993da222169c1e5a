using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Pipeline.Buffers;
using Tests.Shared;

namespace Messaging.Tests.Archive;

[Collection(AllocationCollection.Name)]
public sealed class ArchiveAllocationTests
{
    private const int Messages = 1_000;

    public static TheoryData<string> Bodies =>
    [
        "{\"EventDateUtc\":\"2019-04-01T10:00:00+02:00\",\"Product\":\"My Product\",\"SiteKey\":\"Site Key\",\"EventName\":\"My "
            + "Event\",\"MessageId\":\"0f8fad5b-d9cb-469f-a165-70867728950e\",\"x\":{\"a\":[1,2,{\"b\":\"c\"}]}}",
        "{\"Pro\\u0064uct\":\"My\\u0020Product\",\"SiteKey\":\"\\u00e9\",\"MessageId\":\"\\ud83d\\ude00\",\"\\u0061\":{\"\\u0062\":1}}",
        "{\"MessageId\":\"" + new string('M', 5_000) + "\",\"Product\":\"" + new string('p', 5_000) + "\"}",
        "\uFEFF{}",
    ];

    [Theory]
    [MemberData(nameof(Bodies))]
    public void ReadAndWrite_WarmedUp_AllocatesNothing(string text) => ShouldAllocateNothing(text, new ArchiveOptions());

    [Theory]
    [InlineData("{\"t\":{\"id\":\"acme-corp\",\"x\":[{}]},\"a\":[1,{\"b\":{\"c\":\"A b/c\"}}],\"n\":-1.5E+3,\"ts\":1795256130123}")]
    [InlineData("{\"t\":{\"id\":\"\\u0061.\"},\"\\u0061\":[null,{\"b\":{\"c\":\"unknown\"}}],\"n\":true,\"ts\":\"1\"}")]
    [InlineData("{\"t\":null,\"a\":[],\"n\":null}")]
    public void ReadAndWrite_NestedPathsAndRules_AllocateNothing(string text)
    {
        foreach (InvalidValueRule invalid in new[] { InvalidValueRule.Default, InvalidValueRule.Encode })
        {
            ShouldAllocateNothing(
                text, new ArchiveOptions
                { Template = "{t.id:keep}/{a[1].b.c:encode}/{n:number}/{ts:epochms:yyyy/MM}/{MessageId}.json", InvalidValue = invalid });
        }
    }

    private static void ShouldAllocateNothing(string text, ArchiveOptions options)
    {
        byte[] body = Encoding.UTF8.GetBytes(text);
        byte[] sourceId = "source-id"u8.ToArray();
        KeyTemplate template = KeyRun.Compile(options);
        var monitor = new KeyPartMonitor("route", template.Properties, options, TimeProvider.System, NullLogger.Instance);
        foreach (BodyValidation rule in Enum.GetValues<BodyValidation>())
        {
            var pool = new BufferPool();
            var header = new ArchiveHeader(pool);
            var reader = template.CreateReader(rule);

            bool written = true;
            MinBytes.OfThread(() => written &= Run()).ShouldBe(0, $"{rule}");
            written.ShouldBeTrue();
            pool.Outstanding.ShouldBe(0);

            bool Run()
            {
                bool all = true;
                for (int i = 0; i < Messages; i++)
                {
                    PooledBuffer key = pool.Rent(template.LongestKeyBytes);
                    try
                    {
                        all &= reader.TryRead(body, header, out _) && template.TryWrite(header, sourceId, key, out _, monitor) && key.Length > 0;
                    }
                    finally
                    {
                        header.Reset();
                        key.Dispose();
                    }
                }

                return all;
            }
        }
    }
}
