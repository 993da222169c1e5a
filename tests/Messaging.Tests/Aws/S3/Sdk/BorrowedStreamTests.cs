
using Quayside.Messaging.Objects;

namespace Messaging.Tests.Aws.S3.Sdk;

public sealed class BorrowedStreamTests
{
    private static readonly byte[] Bytes = [.. Enumerable.Range(0, 100).Select(i => (byte)i)];

    [Fact]
    public void Read_InPieces_GivesAllBytes()
    {
        using BorrowedStream stream = new(Bytes);
        using MemoryStream copy = new();
        byte[] piece = new byte[7];
        for (int read; (read = stream.Read(piece, 0, piece.Length)) > 0;)
        {
            copy.Write(piece, 0, read);
        }

        copy.ToArray().ShouldBe(Bytes);
        stream.ReadByte().ShouldBe(-1);
        (stream.CanRead, stream.CanSeek, stream.CanWrite, stream.Length).ShouldBe((true, true, false, 100));
    }

    [Fact]
    public void Seek_AnyOrigin_MovesWithinTheBytes()
    {
        using BorrowedStream stream = new(Bytes);

        stream.Seek(10, SeekOrigin.Begin).ShouldBe(10);
        stream.Seek(5, SeekOrigin.Current).ShouldBe(15);
        stream.ReadByte().ShouldBe(15);
        stream.Seek(-1, SeekOrigin.End).ShouldBe(99);
        stream.ReadByte().ShouldBe(99);
        stream.Position = 100;
        Should.Throw<ArgumentOutOfRangeException>(() => stream.Position = 101);
        Should.Throw<ArgumentOutOfRangeException>(() => stream.Seek(-1, SeekOrigin.Begin));
    }

    [Fact]
    public async Task Detach_ReadAfterwards_FindsNoBytes()
    {
        using BorrowedStream stream = new(Bytes);
        stream.ReadByte().ShouldBe(0);

        stream.Detach();

        Should.Throw<ObjectDisposedException>(() => stream.ReadByte());
        await Should.ThrowAsync<ObjectDisposedException>(async () => await stream.ReadExactlyAsync(new byte[1], TestContext.Current.CancellationToken));
        await Should.ThrowAsync<ObjectDisposedException>(() => stream.CopyToAsync(Stream.Null, TestContext.Current.CancellationToken));
        stream.Length.ShouldBe(100);
    }

    [Fact]
    public async Task Detach_WhileAnotherReads_NeverShowsForeignBytes()
    {
        byte[] owned = new byte[1 << 16];
        for (int round = 0; round < 20; round++)
        {
            Array.Fill(owned, (byte)1);
            using BorrowedStream stream = new(owned);
            using ManualResetEventSlim reading = new();
            Task<int> late = Task.Run(() => ReadOverAndOver(stream, reading), TestContext.Current.CancellationToken);
            reading.Wait(TestContext.Current.CancellationToken);

            stream.Detach();
            Array.Fill(owned, (byte)2);

            (await late).ShouldBe(0);
        }
    }

    private static int ReadOverAndOver(BorrowedStream stream, ManualResetEventSlim reading)
    {
        byte[] piece = new byte[4_096];
        int foreign = 0;
        try
        {
            for (int i = 0; i < 200_000; i++)
            {
                stream.Position = 0;
                foreign += piece.AsSpan(0, stream.Read(piece)).Count((byte)2);
                reading.Set();
            }
        }
        catch (ObjectDisposedException)
        {
            // Expected for a late reader.
        }

        return foreign;
    }
}
