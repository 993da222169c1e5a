using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// Adds sources and sinks whose settings and constructor say everything; others implement <see cref="ISourceFeature"/> or <see cref="ISinkFeature"/>.
/// </summary>
public static class FeatureWorkerBuilderExtensions
{
    /// <summary>Adds a source that routes may name in <c>Routes:{name}:Source</c>. Each route has an instance of its own.</summary>
    /// <typeparam name="TSource">
    /// The source; its constructor takes <typeparamref name="TOptions"/>, and may take <see cref="SourceServices"/> and the container's services.
    /// </typeparam>
    /// <typeparam name="TOptions">
    /// A class whose properties carry <see cref="Configuration.SettingAttribute"/>, read from <c>Sources:{name}</c> with the overrides of the route.
    /// </typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name, such as <c>Folder</c>.</param>
    /// <param name="plan">
    /// Changes what the rest of the route knows about it, such as <c>(plan, options) => plan with { IsPushed = true }</c>; null for the defaults, which are
    /// safe for any source. <see cref="SourcePlan.KeepsDeadLetters"/> is true for a <see cref="Sources.Polling.PollingMessageSource{TItem}"/>.
    /// </param>
    public static IMessageWorkerBuilder AddSource<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TSource,
        [DynamicallyAccessedMembers(OptionsActivator.Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, Func<SourcePlan, TOptions, SourcePlan>? plan = null)
        where TSource : class, IMessageSource
        where TOptions : class, new()
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(new SourceOfOptions<TSource, TOptions>(name, plan));
    }

    /// <summary>Adds a sink that routes may name in <c>Routes:{name}:Sink</c>. Each route has an instance of its own.</summary>
    /// <typeparam name="TSink">
    /// An <see cref="IObjectSink"/> or <see cref="IDocumentSink"/>; its constructor takes <typeparamref name="TOptions"/>, and may take
    /// <see cref="SinkServices"/> and the container's services.
    /// </typeparam>
    /// <typeparam name="TOptions">
    /// A class whose properties carry <see cref="Configuration.SettingAttribute"/>, read from <c>Sinks:{name}</c> with the overrides of the route.
    /// </typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name, such as <c>Webhook</c>.</param>
    /// <param name="plan">
    /// Changes what the rest of the route knows about it, such as <c>(plan, options) => plan with { StoreTimeout = options.Timeout }</c>; null for the
    /// defaults.
    /// </param>
    /// <param name="keepsProperties">True when it keeps metadata and tags: <see cref="ISinkFeature.KeepsProperties"/>.</param>
    public static IMessageWorkerBuilder AddSink<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TSink,
        [DynamicallyAccessedMembers(OptionsActivator.Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, Func<SinkPlan, TOptions, SinkPlan>? plan = null, bool keepsProperties = false)
        where TSink : class, ISink
        where TOptions : class, new()
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSink(new SinkOfOptions<TSink, TOptions>(name, plan, keepsProperties));
    }
}
