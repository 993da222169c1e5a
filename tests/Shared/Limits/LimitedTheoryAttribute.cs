using System.Runtime.CompilerServices;

namespace Shared.Limits;

/// <summary>What <c>[Theory]</c> stands for in the tests (tests/Directory.Build.props): one of whose cases fails at <see cref="TestLimit"/>.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LimitedTheoryAttribute : Xunit.TheoryAttribute
{
    public LimitedTheoryAttribute([CallerFilePath] string? sourceFilePath = null, [CallerLineNumber] int sourceLineNumber = -1)
        : base(sourceFilePath, sourceLineNumber) => Timeout = TestLimit.Milliseconds;
}
