namespace Benchmarks;

/// <summary>Inputs committed beside the suites. They are embedded, since BenchmarkDotNet runs a suite from a folder of its own.</summary>
internal static class InputFile
{
    /// <param name="name">Folder and name, separated by dots.</param>
    public static byte[] Read(string name)
    {
        using Stream stream = typeof(InputFile).Assembly.GetManifestResourceStream($"Benchmarks.{name}")
            ?? throw new InvalidOperationException($"There is no embedded input {name}.");
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }
}
