using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Quayside.Messaging.Http.Web.Api;

namespace Worker.Tests.Http.Web.Api;

/// <summary>Log levels that are changed for a time, in .NET's own logger factory.</summary>
public sealed class LogLevelsTests
{
    private readonly ManualTimeProvider _time = new(TimeProvider.System.GetUtcNow());

    [Fact]
    public void Set_LogsTheCategoryAndThoseBelowIt_AndGoesBackByItself()
    {
        using ServiceProvider services = Build(_ => { });
        LogLevels levels = services.GetRequiredService<LogLevels>();
        ILogger logger = LoggerOf(services, "Shop.Orders");
        logger.IsEnabled(LogLevel.Debug).ShouldBeFalse();
        int ended = 0;

        var state = levels.Set("Shop", LogLevel.Debug, TimeSpan.FromMinutes(5), () => Interlocked.Increment(ref ended)).ShouldNotBeNull();

        (state.Until - state.Since).ShouldBe(TimeSpan.FromMinutes(5));
        logger.IsEnabled(LogLevel.Debug).ShouldBeTrue("An existing logger follows.");
        logger.IsEnabled(LogLevel.Trace).ShouldBeFalse();
        LoggerOf(services, "Shop.New").IsEnabled(LogLevel.Debug).ShouldBeTrue();
        LoggerOf(services, "Other").IsEnabled(LogLevel.Debug).ShouldBeFalse();

        _time.Advance(TimeSpan.FromMinutes(5));

        logger.IsEnabled(LogLevel.Debug).ShouldBeFalse();
        levels.Current.ShouldBeEmpty();
        ended.ShouldBe(1);
    }

    [Fact]
    public void Set_WinsOverRulesOfProvidersAndOfLongerNames_ButNotOverNone()
    {
        using ServiceProvider services = Build(logging => logging
            .AddFilter("Shop.Orders", LogLevel.Error)
            .AddFilter<Lines>("Shop.Quiet", LogLevel.None)
            .AddFilter<EventLogLines>("Shop", LogLevel.Error)
            .AddFilter<Lines>(category: null, LogLevel.Warning));
        LogLevels levels = services.GetRequiredService<LogLevels>();

        levels.Set("shop", LogLevel.Debug, TimeSpan.FromMinutes(5), () => { });

        LoggerOf(services, "Shop.Orders").LogDebug("one");
        LoggerOf(services, "Shop.Quiet").LogCritical("two");
        services.GetRequiredService<Lines>().Texts.ShouldBe(["one"]);
        services.GetRequiredService<EventLogLines>().Texts.ShouldBe(["two"], "The event log has errors only, as configured.");
        levels.End("Shop").ShouldBeTrue();
        LoggerOf(services, "Shop.Orders").LogWarning("three");
        services.GetRequiredService<Lines>().Texts.ShouldBe(["one", "three"], "The rule of the provider is back.");
    }

    [Fact]
    public void Set_Again_ReplacesTheLevelAndTheTime()
    {
        using ServiceProvider services = Build(_ => { });
        LogLevels levels = services.GetRequiredService<LogLevels>();
        int ended = 0;
        levels.Set("Shop", LogLevel.Trace, TimeSpan.FromMinutes(1), () => Interlocked.Increment(ref ended));
        levels.Set("SHOP", LogLevel.Debug, TimeSpan.FromMinutes(9), () => Interlocked.Increment(ref ended));

        _time.Advance(TimeSpan.FromMinutes(8));

        ended.ShouldBe(0);
        levels.Current.ShouldHaveSingleItem().Level.ShouldBe("Debug");
        LoggerOf(services, "Shop").IsEnabled(LogLevel.Trace).ShouldBeFalse();
        LoggerOf(services, "Shop").IsEnabled(LogLevel.Debug).ShouldBeTrue();
    }

    [Fact]
    public void Set_MoreThanTheLimit_IsRefused_UntilOneHasEnded()
    {
        using ServiceProvider services = Build(_ => { });
        LogLevels levels = services.GetRequiredService<LogLevels>();
        for (int i = 0; i < LogLevels.MaxChanges; i++)
        {
            levels.Set($"Shop{i}", LogLevel.Debug, TimeSpan.FromMinutes(5), () => { }).ShouldNotBeNull();
        }

        levels.Set("More", LogLevel.Debug, TimeSpan.FromMinutes(5), () => { }).ShouldBeNull();
        levels.Set("Shop0", LogLevel.Trace, TimeSpan.FromMinutes(5), () => { }).ShouldNotBeNull("It replaces one.");
        levels.End("Shop1");

        levels.Set("More", LogLevel.Debug, TimeSpan.FromMinutes(5), () => { }).ShouldNotBeNull();
    }

    private static ILogger LoggerOf(ServiceProvider services, string category) => services.GetRequiredService<ILoggerFactory>().CreateLogger(category);

    private ServiceProvider Build(Action<ILoggingBuilder> configure)
    {
        ServiceCollection services = new();
        services.AddSingleton(new LogLevels(_time));
        services.AddSingleton<Lines>().AddSingleton<EventLogLines>();
        services.AddSingleton<ILoggerProvider>(static provider => provider.GetRequiredService<Lines>());
        services.AddSingleton<ILoggerProvider>(static provider => provider.GetRequiredService<EventLogLines>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IPostConfigureOptions<LoggerFilterOptions>, LogLevels>(static provider => provider.GetRequiredService<LogLevels>()));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IOptionsChangeTokenSource<LoggerFilterOptions>, LogLevels>(static provider => provider.GetRequiredService<LogLevels>()));
        services.AddLogging(configure);
        return services.BuildServiceProvider();
    }

    private class Lines : ILoggerProvider, ILogger
    {
        public List<string> Texts { get; } = [];

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => Texts.Add(formatter(state, exception));

        public void Dispose()
        {
            // Nothing to dispose.
        }
    }

    private sealed class EventLogLines : Lines;
}
