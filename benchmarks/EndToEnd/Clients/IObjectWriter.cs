namespace Benchmarks.EndToEnd.Clients;

/// <summary>How a twin stores an object: once, never replacing one.</summary>
internal interface IObjectWriter
{
    Task PutAsync(string key, byte[] body);
}
