namespace Benchmarks.EndToEnd.Server;

/// <summary>Where an answer is written to.</summary>
internal interface IAnswer
{
    /// <summary>Space for at least this many bytes after those written.</summary>
    Span<byte> Reserve(int bytes);

    void Advance(int bytes);

    /// <summary>The bytes written so far.</summary>
    Span<byte> Written { get; }
}
