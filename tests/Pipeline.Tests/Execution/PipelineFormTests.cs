using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

public sealed class PipelineFormTests
{
    public static TheoryData<PipelineForm> Forms => [.. PipelineForm.All];

    [Theory]
    [MemberData(nameof(Forms))]
    public void TryParse_NameInAnyCase_FindsTheForm(PipelineForm form)
    {
        PipelineForm.TryParse(form.Name, out PipelineForm? found).ShouldBeTrue();
        found.ShouldBeSameAs(form);
        PipelineForm.TryParse(form.Name.ToUpperInvariant(), out found).ShouldBeTrue();
        found.ShouldBeSameAs(form);
        form.ToString().ShouldBe(form.Name);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("Interpreted")]
    [InlineData(" Closure")]
    public void TryParse_AnythingElse_FindsNothing(string? name) => PipelineForm.TryParse(name, out _).ShouldBeFalse();

    [Fact]
    public void All_NamesAreUnique() => PipelineForm.All.Select(form => form.Name).ShouldBeUnique();

    [Fact]
    public void All_EveryFormHasAContractSubclass()
    {
        IEnumerable<string> tested = typeof(PipelineFormContract).Assembly.GetTypes()
            .Where(type => type.IsSubclassOf(typeof(PipelineFormContract)))
            .Select(type => type.Name);

        tested.ShouldBe(PipelineForm.All.Select(form => $"{form.Name}FormTests"), ignoreOrder: true);
    }
}
