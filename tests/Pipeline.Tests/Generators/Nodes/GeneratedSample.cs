using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Quayside.Pipeline.Generators.Nodes;

namespace Pipeline.Tests.Generators.Nodes;

/// <summary>A sample and its generated nodes.</summary>
internal sealed partial class GeneratedSample
{
    private const string Suppression = "#pragma warning disable\n";

    private readonly Compilation _compilation;

    private GeneratedSample(Compilation compilation, string text)
    {
        _compilation = compilation;
        Text = text;
    }

    /// <summary>The generated file; empty for a sample without parts.</summary>
    public string Text { get; }

    /// <summary>The registrations as <c>AddStep&lt;S, Ctx&gt;</c>, without namespaces.</summary>
    public IEnumerable<string> Registrations =>
        Registration()
            .Matches(Text)
            .Select(match => match.Groups[1].Value.Replace("global::", "", StringComparison.Ordinal).Replace("Samples.", "", StringComparison.Ordinal));

    public IEnumerable<string> NodeNames => NodeName().Matches(Text).Select(match => match.Groups[1].Value);

    /// <summary>Runs the generator; the sample with its nodes must compile without a warning, even where none is suppressed.</summary>
    public static GeneratedSample Of(params IEnumerable<string> sources)
    {
        CSharpCompilation compilation = Sample.Compilation(sources);
        GeneratorDriver driver = CSharpGeneratorDriver.Create([new PartNodeGenerator().AsSourceGenerator()], parseOptions: Sample.Parsing);

        GeneratorRunResult result = driver.RunGeneratorsAndUpdateCompilation(compilation, out Compilation generated, out _).GetRunResult().Results.Single();

        result.Exception.ShouldBeNull();
        result.Diagnostics.ShouldBeEmpty();
        Complaints(generated).ShouldBeEmpty();
        string text = result.GeneratedSources.SingleOrDefault().SourceText?.ToString() ?? string.Empty;
        if (text.Length > 0)
        {
            SyntaxTree tree = generated.SyntaxTrees.Last();
            Complaints(generated.ReplaceSyntaxTree(tree, CSharpSyntaxTree.ParseText(text.Replace(Suppression, "", StringComparison.Ordinal), Sample.Parsing)))
                .Where(complaint => !Obsolete().IsMatch(complaint)).ShouldBeEmpty();
        }

        return new GeneratedSample(generated, text);
    }

    /// <summary>The text of one node class.</summary>
    public string Node(string name)
    {
        int start = Text.IndexOf($"class {name} :", StringComparison.Ordinal);
        start.ShouldBeGreaterThan(0, Text);
        return Text[start..Text.IndexOf("\n    }\n", start, StringComparison.Ordinal)];
    }

    /// <summary>Compiles and loads the sample and calls <c>Samples.Program.Run()</c>, with its nodes registered.</summary>
    public string Run()
    {
        using MemoryStream stream = new();
        _compilation.Emit(stream).Success.ShouldBeTrue();
        return (string)Assembly.Load(stream.ToArray()).GetType("Samples.Program", throwOnError: true)!.GetMethod("Run")!.Invoke(null, null)!;
    }

    private static string[] Complaints(Compilation compilation) =>
        [.. compilation
            .GetDiagnostics()
            .Where(diagnostic => diagnostic.Severity >= DiagnosticSeverity.Warning && !diagnostic.IsSuppressed)
            .Select(diagnostic => diagnostic.ToString())];

    [GeneratedRegex(@"PartNodes\.(Add.*)\(static")]
    private static partial Regex Registration();

    [GeneratedRegex(@"sealed class (\w+)")]
    private static partial Regex NodeName();

    [GeneratedRegex("CS0612|CS0618|TRY001")]
    private static partial Regex Obsolete();
}
