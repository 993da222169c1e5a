using System.Text.Json;

namespace Benchmarks.Json;

/// <summary>What someone who reads tokens keeps between two pieces of a document.</summary>
internal interface IJsonScan
{
    /// <summary>Reads the tokens that the reader has.</summary>
    void Read(ref Utf8JsonReader reader);
}
