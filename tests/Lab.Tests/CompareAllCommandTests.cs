using System.Reflection;
using Benchmarks;

namespace Lab.Tests;

/// <summary>The comparisons take hours, so that a wrong option must show before.</summary>
public sealed class CompareAllCommandTests
{
    public static IEnumerable<TheoryDataRow<string, string>> Steps =>
        CompareAllCommand.Steps.SelectMany(
            step => new[] { step.Full, step.Quick }
                .OfType<string>()
                .Select(arguments => new TheoryDataRow<string, string>(step.Program.GetName().Name!, arguments)));

    [Theory]
    [MemberData(nameof(Steps))]
    public void Step_Arguments_AreThoseOfACommand(string program, string arguments) =>
        (program == typeof(CompareAllCommand).Assembly.GetName().Name ? LabCommand.Root() : BenchmarkCommand.Root())
            .Parse(arguments.Replace("{1}", Assembly.GetExecutingAssembly().Location, StringComparison.Ordinal)).Errors.ShouldBeEmpty();
}
