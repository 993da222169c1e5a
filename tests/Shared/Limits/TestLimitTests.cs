using System.Reflection;

namespace Shared.Limits;

/// <summary>A test that awaits what a defect withholds has to fail, not to hang.</summary>
public sealed class TestLimitTests
{
    [Fact]
    public void EveryTest_HasALimit()
    {
        string[] unlimited =
        [
            .. typeof(TestLimitTests).Assembly.GetTypes()
                .SelectMany(type => type.GetMethods(BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.FlattenHierarchy))
                .Where(method => method.GetCustomAttribute<Xunit.FactAttribute>() is { Timeout: 0 })
                .Select(method => $"{method.DeclaringType!.FullName}.{method.Name}"),
        ];

        unlimited.ShouldBeEmpty("Use [Fact] and [Theory] of tests/Directory.Build.props, which have a limit.");
    }

    [Fact]
    public void ShouldAllBe_NoElements_Fails()
    {
        Should.Throw<ShouldAssertException>(() => Array.Empty<int>().ShouldAllBe(element => element > 0));
        Should.Throw<ShouldAssertException>(() => new[] { 1, 0 }.ShouldAllBe(element => element > 0));
        new[] { 1, 2 }.ShouldAllBe(element => element > 0);
    }
}
