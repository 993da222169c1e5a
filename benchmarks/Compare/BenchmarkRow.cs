namespace Benchmarks.Compare;

/// <summary>One measured row of a report.</summary>
/// <param name="Name">Namespace, suite, method and parameters: <c>Some.Namespace.Suite.Method(Size: 10)</c>.</param>
/// <param name="Nanoseconds">Median time per operation.</param>
/// <param name="Bytes">Bytes allocated per operation; null when not measured.</param>
/// <param name="Collections">Garbage collections per operation; null when not measured.</param>
internal sealed record BenchmarkRow(string Name, double Nanoseconds, long? Bytes, CollectionRate? Collections = null)
{
    private readonly string[] _path = (Name.IndexOf('(', StringComparison.Ordinal) is >= 0 and int at ? Name[..at] : Name).Split('.');

    public string Method => _path[^1];

    /// <summary>The class; empty when the name does not have this form.</summary>
    public string Suite => _path.Length > 1 ? _path[^2] : string.Empty;

    /// <summary>The text in the parentheses, such as <c>Size: 10</c>; empty without parameters.</summary>
    public string Parameters => Name.EndsWith(')') && Name.IndexOf('(', StringComparison.Ordinal) is >= 0 and int at ? Name[(at + 1)..^1] : string.Empty;

    /// <summary>
    /// The name without its namespace and without the quotes of texts, by which documents refer to a row and two folders are compared: a suite may move.
    /// <c>Suite.Method(Size: 10)</c>.
    /// </summary>
    public string ShortName =>
        Parameters.Length > 0 ? $"{Suite}.{Method}({Parameters.Replace("\"", string.Empty, StringComparison.Ordinal)})" : $"{Suite}.{Method}";
}
