using System.Text;
using System.Text.Json;
using BenchmarkDotNet.Attributes;
using Benchmarks.Keys;
using Newtonsoft.Json;
using Tests.Shared.ReadableKeys;

namespace Lab.Keys;

/// <summary>A message's bytes to its object key. The limit of any variant that reads the message: <see cref="ReadEveryToken"/>.</summary>
public class MessageToKeyBenchmarks
{
    private readonly WorkerKey _full = WorkerKey.Full();
    private readonly WorkerKey _headerOnly = WorkerKey.HeaderOnly();
    private readonly WorkerKey _depthTwo = WorkerKey.Full(KeyInput.DepthTwoTemplate);
    private readonly WorkerKey _depthFour = WorkerKey.Full(KeyInput.DepthFourTemplate);
    private readonly byte[] _key = new byte[1_024];
    private byte[] _body = [];

    [GlobalSetup]
    public void Setup()
    {
        _body = KeyInput.Bytes();
        KeyInput.Require(nameof(NewtonsoftAndOriginal), NewtonsoftAndOriginal());
        KeyInput.Require(nameof(ReflectionAndOriginal), ReflectionAndOriginal());
        KeyInput.Require(nameof(SourceGenerationAndStringCreate), SourceGenerationAndStringCreate());
        KeyInput.Require(nameof(ReadableTwin), ReadableTwin());
        KeyInput.Require(nameof(ReaderPrototype), Encoding.ASCII.GetString(_key, 0, ReaderPrototype()));
        KeyInput.Require(nameof(Full), _full.Text(_body));
        KeyInput.Require(nameof(HeaderOnly), _headerOnly.Text(_body));
        KeyInput.Require(nameof(FullDepthTwo), _depthTwo.Text(_body), KeyInput.DepthTwoKey);
        KeyInput.Require(nameof(FullDepthFour), _depthFour.Text(_body), KeyInput.DepthFourKey);
    }

    [Benchmark(Baseline = true)]
    public string NewtonsoftAndOriginal() => OriginalKey.Of(JsonConvert.DeserializeObject<KeyMessage>(Encoding.UTF8.GetString(_body))!);

    [Benchmark]
    public string ReflectionAndOriginal() => OriginalKey.Of(System.Text.Json.JsonSerializer.Deserialize<KeyMessage>(_body)!);

    [Benchmark]
    public string SourceGenerationAndStringCreate() =>
        StringCreateKey.Of(System.Text.Json.JsonSerializer.Deserialize(_body, KeyMessageContext.Default.KeyMessage)!);

    /// <summary>All rules of docs/reference/object-keys.md, written for readability.</summary>
    [Benchmark]
    public string ReadableTwin() => ReadableKey.Of(_body)!;

    [Benchmark]
    public int ReaderPrototype() => ReaderPrototypeKey.Write(_body, _key);

    [Benchmark]
    public int Full() => _full.Length(_body);

    [Benchmark]
    public int HeaderOnly() => _headerOnly.Length(_body);

    /// <summary>Two of the key's values are properties of an object of the message.</summary>
    [Benchmark]
    public int FullDepthTwo() => _depthTwo.Length(_body);

    /// <summary>Three of the key's values are in an object and an array inside an object of the message.</summary>
    [Benchmark]
    public int FullDepthFour() => _depthFour.Length(_body);

    /// <summary>The limit: no property compared, no value taken, no key written.</summary>
    [Benchmark]
    public int ReadEveryToken()
    {
        Utf8JsonReader reader = new(_body);
        int tokens = 0;
        while (reader.Read())
        {
            tokens++;
        }

        return tokens;
    }
}
