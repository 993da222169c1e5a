using System.Text.Json;

namespace Lab.Json;

/// <summary>The state that a reader of tokens keeps between two pieces of a document.</summary>
internal interface IJsonScan
{
    /// <summary>Reads the tokens that are available.</summary>
    void Read(ref Utf8JsonReader reader);
}
