using System.Runtime.CompilerServices;

namespace Shared.Limits;

/// <summary>What <c>[Fact]</c> stands for in the tests (tests/Directory.Build.props): a test that fails at <see cref="TestLimit"/>.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LimitedFactAttribute : Xunit.FactAttribute
{
    public LimitedFactAttribute([CallerFilePath] string? sourceFilePath = null, [CallerLineNumber] int sourceLineNumber = -1)
        : base(sourceFilePath, sourceLineNumber) => Timeout = TestLimit.Milliseconds;
}
