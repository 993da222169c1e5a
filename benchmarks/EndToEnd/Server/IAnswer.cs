namespace Benchmarks.EndToEnd.Server;

/// <summary>Where an answer is written to.</summary>
internal interface IAnswer
{
    /// <summary>Room for at least as many bytes behind what was written.</summary>
    Span<byte> Reserve(int bytes);

    void Advance(int bytes);

    /// <summary>What was written so far.</summary>
    Span<byte> Written { get; }
}
