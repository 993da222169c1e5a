using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.TypedViews;

/// <summary>A thousand records of 8 bytes, read from raw bytes.</summary>
public class TypedViewBenchmarks
{
    private byte[] _bytes = [];

    [GlobalSetup]
    public void Setup()
    {
        _bytes = new byte[1_000 * Bid.Bytes];
        for (int at = 0; at < _bytes.Length; at += Bid.Bytes)
        {
            BitConverter.TryWriteBytes(_bytes.AsSpan(at), (ushort)(at % 1_009));
            BitConverter.TryWriteBytes(_bytes.AsSpan(at + Bid.PriceAt), at / 16f);
        }

        Agreement.Require(Reader(), Cast(), Unchecked(), Primitives());
    }

    [Benchmark(Baseline = true)]
    public double Reader() => BidReading.Reader(_bytes);

    [Benchmark]
    public double Cast() => BidReading.Cast(_bytes);

    [Benchmark]
    public double Unchecked() => BidReading.Unchecked(_bytes);

    [Benchmark]
    public double Primitives() => BidReading.Primitives(_bytes);
}
