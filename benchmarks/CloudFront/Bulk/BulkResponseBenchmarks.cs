using System.Text.Json;
using BenchmarkDotNet.Attributes;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>The ids of failed items in a bulk response of 25 KB, by its content: Success (<c>"errors":false</c>) or Failure (one item in ten).</summary>
public class BulkResponseBenchmarks
{
    private readonly MemoryStream _stream = new();
    private readonly WorkerParser _parser = new(count: false);
    private readonly WorkerParser _counting = new(count: true);
    private byte[] _bytes = [];
    private byte[] _filtered = [];

    [Params("Success", "Failure")]
    public string Response { get; set; } = "Failure";

    [GlobalSetup]
    public void Setup()
    {
        _bytes = BulkInput.Create(Response == "Failure");
        _filtered = BulkInput.Create(Response == "Failure", filtered: true);
        _stream.SetLength(0);
        _stream.Write(_bytes);
        BulkFailures expected = Original();
        if (expected.Success != (Response == "Success") || expected.FailedIds is { Count: 0 })
        {
            throw new InvalidOperationException("The input does not match its scenario.");
        }

        foreach (BulkFailures found in (BulkFailures[])[Optimised(), Ours(), OursCounting(), OursFiltered()])
        {
            if (found.Success != expected.Success || found.FailedIds?.SequenceEqual(expected.FailedIds!, StringComparer.Ordinal) == false)
            {
                throw new InvalidOperationException("The variants find different failed ids.");
            }
        }
    }

    /// <summary>The original.</summary>
    [Benchmark(Baseline = true)]
    public BulkFailures Original() => ObjectsOfNewtonsoft.Read(Rewound());

    /// <summary>The published optimisation, corrected.</summary>
    [Benchmark]
    public BulkFailures Optimised() => TokensOfTheIdea.Read(Rewound());

    /// <summary>The limit that sets the target: every token is read and ignored.</summary>
    [Benchmark]
    public int Utf8JsonReaderEveryToken()
    {
        Utf8JsonReader reader = new(_bytes);
        int tokens = 0;
        while (reader.Read())
        {
            tokens++;
        }

        return tokens;
    }

    /// <summary>The worker's parser, which relies on <c>"errors":false</c>.</summary>
    [Benchmark]
    public BulkFailures Ours() => _parser.Read(_bytes);

    /// <summary>The same, as the sink uses it: it counts the items of a success.</summary>
    [Benchmark]
    public BulkFailures OursCounting() => _counting.Read(_bytes);

    /// <summary>As before, on the shorter answer that the worker asks for.</summary>
    [Benchmark]
    public BulkFailures OursFiltered() => _counting.Read(_filtered);

    private MemoryStream Rewound()
    {
        _stream.Position = 0;
        return _stream;
    }
}
