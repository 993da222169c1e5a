using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Quayside.Pipeline.Generators.Analysis;

/// <summary>Reports parts that pay for asynchrony when nothing suspends (PIPE001), or allocate when something does (PIPE002).</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AsyncPartAnalyzer : DiagnosticAnalyzer
{
    internal const string AsyncContractId = "PIPE001";
    internal const string UnpooledId = "PIPE002";

    private const string Category = "Performance";

    private static readonly DiagnosticDescriptor AsyncContract = new(
        AsyncContractId,
        "A part's own method is async",
        "'{0}' is async: every message pays for a state machine, even when nothing suspends; "
            + "return the task when it is completed, and await in a separate method",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "An async method costs 4 to 15 times as much as one that checks IsCompletedSuccessfully and leaves the await to another method. See "
            + "docs/guides/pipeline.md, Writing a part that wraps.");

    private static readonly DiagnosticDescriptor Unpooled = new(
        UnpooledId,
        "A part's async method allocates when it suspends",
        "'{0}' allocates about 120 B whenever it suspends; add [AsyncMethodBuilder(typeof({1}))]",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "The pooled builder keeps the state of suspended methods for reuse, for any number of messages in flight. "
            + "See docs/guides/pipeline.md, Writing a part that wraps.");

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [AsyncContract, Unpooled];

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(
            static symbol =>
            {
                IMethodSymbol method = (IMethodSymbol)symbol.Symbol;
                if (method.IsAsync && AsyncMethods.IsOfAPart(method))
                {
                    CheckContract(method, symbol.ReportDiagnostic);
                    CheckBuilder(method, symbol.ReportDiagnostic);
                }
            },
            SymbolKind.Method);

        // The compiler raises no symbol action for local functions.
        context.RegisterOperationAction(
            static operation =>
            {
                IMethodSymbol method = ((ILocalFunctionOperation)operation.Operation).Symbol;
                if (method.IsAsync && AsyncMethods.IsOfAPart(method))
                {
                    CheckBuilder(method, operation.ReportDiagnostic);
                }
            },
            OperationKind.LocalFunction);
    }

    private static void CheckContract(IMethodSymbol method, Action<Diagnostic> report)
    {
        if (AsyncMethods.ImplementsContract(method))
        {
            report(Diagnostic.Create(AsyncContract, method.Locations[0], method.Name));
        }
    }

    private static void CheckBuilder(IMethodSymbol method, Action<Diagnostic> report)
    {
        if (AsyncMethods.PooledBuilderFor(method) is { } builder && !AsyncMethods.IsPooled(method))
        {
            report(Diagnostic.Create(Unpooled, method.Locations[0], method.Name, builder));
        }
    }
}
