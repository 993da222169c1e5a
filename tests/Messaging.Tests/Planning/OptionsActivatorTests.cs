using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Planning;

namespace Messaging.Tests.Planning;

public sealed class OptionsActivatorTests
{
    private readonly IServiceProvider _container = new ServiceCollection().AddSingleton(TimeProvider.System).BuildServiceProvider();

    [Fact]
    public void Create_SeveralConstructors_IsByTheOneThatTakesMostOfTheArguments()
    {
        Several made = OptionsActivator.Create<Several>(_container, new Settings(), new Given());

        made.Used.ShouldBe("settings, given, clock");
    }

    [Fact]
    public void Create_NoConstructorTakesBoth_TakesOne() => OptionsActivator.Create<Apart>(_container, new Settings(), new Given()).Used.ShouldBe("settings");

    private sealed class Settings;

    private sealed class Given;

    private sealed class Several
    {
        public Several(Settings settings) => Used = "settings";

        public Several(Settings settings, Given given, TimeProvider time) => Used = "settings, given, clock";

        public string Used { get; }
    }

    private sealed class Apart
    {
        public Apart(Settings settings) => Used = "settings";

        public Apart(Given given) => Used = "given";

        public string Used { get; }
    }
}
