namespace Lab.Tests.Json;

/// <summary>Returns its bytes in two pieces, split at <paramref name="size"/>, or in pieces of that size.</summary>
internal sealed class PiecewiseStream(byte[] bytes, int size, bool repeat = false) : MemoryStream(bytes)
{
    public override int Read(byte[] buffer, int offset, int count) => base.Read(buffer, offset, Math.Min(count, MaxCount()));

    // A derived MemoryStream reads spans and memories through the array overload.
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));

    private int MaxCount() => repeat || Position < size ? Math.Max(1, size - (repeat ? 0 : (int)Position)) : int.MaxValue;
}
