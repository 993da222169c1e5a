using System.Collections;
using System.Reflection;
using Quayside.Messaging.Archive.Headers;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Archive.Headers;

public sealed class ArchiveHeaderTests
{
    [Fact]
    public void Reset_AfterAMessage_ClearsEveryFieldAndReturnsBuffers()
    {
        var pool = new BufferPool();
        var header = new ArchiveHeader(pool);
        var reader = new ArchiveHeaderReader(BodyRun.Properties);
        reader.TryRead("{\"Product\":\"\\n\",\"\\u0061\":1,\"EventDateUtc\":\"2019-04-01\",\"MessageId\":\"m\"}"u8.ToArray(), header, out _).ShouldBeTrue();
        pool.Outstanding.ShouldBe(1);

        header.Reset();

        pool.Outstanding.ShouldBe(0);
        header.Count.ShouldBe(0);
        foreach (FieldInfo field in typeof(ArchiveHeader).GetFields(BindingFlags.Instance | BindingFlags.NonPublic))
        {
            object? value = field.GetValue(header);
            switch (value)
            {
                case null or BufferPool:
                    break;
                case IEnumerable values:
                    values.Cast<object>().ShouldAllBe(v => v.Equals(Activator.CreateInstance(v.GetType())), field.Name);
                    break;
                default:
                    value.ShouldBe(Activator.CreateInstance(value.GetType()), field.Name);
                    break;
            }
        }
    }

    [Fact]
    public void Reset_Twice_DoesNothingMore()
    {
        var pool = new BufferPool();
        var header = new ArchiveHeader(pool);
        new ArchiveHeaderReader(BodyRun.Properties).TryRead("{\"Product\":\"\\n\"}"u8.ToArray(), header, out _).ShouldBeTrue();

        header.Reset();
        header.Reset();

        pool.Outstanding.ShouldBe(0);
    }
}
