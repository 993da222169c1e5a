using System.Reflection;
using BenchmarkDotNet.Attributes;

namespace Lab.Tests.Techniques;

/// <summary>Every suite of techniques checks its variants in its set-up, for every value of its parameters.</summary>
public sealed class TechniqueSuiteTests
{
    public static TheoryData<string, object?> Cases()
    {
        TheoryData<string, object?> cases = [];
        foreach (Type suite in LabSuites.Techniques)
        {
            foreach (object? value in Parameter(suite)?.GetCustomAttribute<ParamsAttribute>()!.Values ?? [null])
            {
                cases.Add(suite.FullName!, value);
            }
        }

        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Setup_EveryValue_FindsEveryVariantEqual(string suite, object? value)
    {
        Type type = typeof(LabSuites).Assembly.GetType(suite)!;
        object instance = Activator.CreateInstance(type)!;
        Parameter(type)?.SetValue(instance, value);

        if (type.GetMethod("Setup")!.Invoke(instance, null) is Task running)
        {
            await running.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        }

        (instance as IDisposable)?.Dispose();
    }

    [Fact]
    public void Setup_EverySuite_HasOneAndABaseline() => LabSuites.Techniques.ShouldAllBe(suite =>
        suite.GetMethod("Setup")!.IsDefined(typeof(GlobalSetupAttribute), true)
        && suite
            .GetMethods()
            .Count(method => method.IsDefined(typeof(BenchmarkAttribute), true) && method.GetCustomAttribute<BenchmarkAttribute>(true)!.Baseline) == 1);

    [Fact]
    public void Require_AnotherValue_Throws() =>
        Should.Throw<InvalidOperationException>(() => Lab.Techniques.Agreement.Require(3, 3, 4)).Message.ShouldContain("Variant 2 gives 4");

    private static PropertyInfo? Parameter(Type suite) => suite.GetProperties().SingleOrDefault(property => property.IsDefined(typeof(ParamsAttribute)));
}
