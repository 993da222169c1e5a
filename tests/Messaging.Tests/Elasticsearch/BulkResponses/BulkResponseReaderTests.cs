using Quayside.Messaging.Elasticsearch.BulkResponses;
using Quayside.Pipeline.Buffers;
using static Messaging.Tests.Elasticsearch.BulkResponses.BulkResponses;

namespace Messaging.Tests.Elasticsearch.BulkResponses;

public sealed class BulkResponseReaderTests : IDisposable
{
    private readonly BufferPool _buffers = new();
    private readonly BulkResponseParser _parser = new();
    private readonly RecordedItems _items = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _buffers.Outstanding.ShouldBe(0);

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1_000)]
    [InlineData(100_000)]
    public async Task Read_StreamInPieces_FindsTheSame(int piece)
    {
        byte[] response = Bytes(Of(errors: true, Enumerable.Range(0, 200).Select(i => i % 10 == 3 ? Rejected($"d{i}") : Created($"d{i}"))));

        BulkParsing parsing = await ReadAsync(new PiecewiseStream(response, piece), long.MaxValue);

        (parsing, _parser.Items).ShouldBe((BulkParsing.Complete, 200));
        _items.Failures.Select(failure => failure.Index).ShouldBe(Enumerable.Range(0, 20).Select(i => (i * 10) + 3));
    }

    [Fact]
    public async Task Read_ItemsWithoutEnd_HoldsAWindowAndNotTheResponse()
    {
        byte[] response = Bytes(Of(errors: true, Enumerable.Repeat(Created("d"), 20_000)));
        response.Length.ShouldBeGreaterThan(3_000_000);
        WatchingPool arrays = new();

        BulkParsing parsing =
            await BulkResponseReader.ReadAsync(new PiecewiseStream(response, 4_096), _parser, _items, long.MaxValue, new BufferPool(arrays), Token);

        (parsing, _parser.Items).ShouldBe((BulkParsing.Complete, 20_000));
        arrays.Largest.ShouldBeLessThanOrEqualTo(2 * BulkResponseParser.MaxMemberBytes);
    }

    [Fact]
    public async Task Read_LongerThanAllowed_IsMalformed()
    {
        byte[] response = Bytes(Of(errors: false, Enumerable.Repeat(Created("d"), 10)));

        (await ReadAsync(new PiecewiseStream(response, 100), response.Length)).ShouldBe(BulkParsing.Complete);
        (await ReadAsync(new PiecewiseStream(response, 100), response.Length - 1)).ShouldBe(BulkParsing.Malformed);
    }

    [Fact]
    public async Task Read_Malformed_StopsReading()
    {
        PiecewiseStream stream = new([.. Bytes("<html>"), .. new byte[1_000_000]], 1_000);

        (await ReadAsync(stream, long.MaxValue)).ShouldBe(BulkParsing.Malformed);

        stream.Position.ShouldBe(1_000);
    }

    [Fact]
    public async Task Read_StreamThatBreaks_ThrowsItsException()
    {
        byte[] response = Bytes(Of(errors: true, Created("a"), Created("b")));

        await Should.ThrowAsync<IOException>(async () => await ReadAsync(new PiecewiseStream(response, 50) { BreaksAt = 100 }, long.MaxValue));
    }

    [Fact]
    public async Task Read_SecondResponse_IsIndependentOfTheFirst()
    {
        await ReadAsync(new PiecewiseStream(Bytes(Of(errors: true, Created("a"), Rejected("b"))[..200]), 50), long.MaxValue);

        (await ReadAsync(new PiecewiseStream(Bytes(Of(errors: false, Created("a"))), 50), long.MaxValue)).ShouldBe(BulkParsing.Complete);

        _parser.Items.ShouldBe(1);
    }

    private ValueTask<BulkParsing> ReadAsync(Stream stream, long maxBytes) => BulkResponseReader.ReadAsync(stream, _parser, _items, maxBytes, _buffers, Token);
}
