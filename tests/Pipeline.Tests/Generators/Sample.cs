using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Generators;

/// <summary>Source text as a compilation that references the library.</summary>
internal static class Sample
{
    public const string Context =
        """
        namespace Samples;

        public class Ctx : global::Quayside.Pipeline.Contexts.PipelineContext;

        public sealed class Inner : global::Quayside.Pipeline.Contexts.PipelineContext;
        """;

    public static readonly CSharpParseOptions Parsing = new(LanguageVersion.Latest, DocumentationMode.Parse);

    private const string Usings =
        """
        global using System;
        global using System.Runtime.CompilerServices;
        global using System.Threading.Tasks;
        global using Quayside.Pipeline.Behaviors;
        global using Quayside.Pipeline.Frames;
        global using Samples;
        """;

    private static readonly ImmutableArray<MetadataReference> References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path) is { } file && (file.StartsWith("System.", StringComparison.Ordinal) || file == "netstandard.dll"))
            .Append(typeof(Next<>).Assembly.Location)
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    private static int _number;

    public static CSharpCompilation Compilation(params IEnumerable<string> sources) => CSharpCompilation.Create(
        $"Sample{Interlocked.Increment(ref _number)}",
        [.. sources.Append(Context).Append(Usings).Select((source, i) => CSharpSyntaxTree.ParseText(source, Parsing, $"Source{i}.cs"))],
        References,
        new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable, optimizationLevel: OptimizationLevel.Release));
}
